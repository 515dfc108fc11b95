// Where this language's site begins, which page this is, how to make an element, what the browser remembers.
export const SITE = new URL("../../", import.meta.url)
export const LANG = document.documentElement.lang.slice(0, 2)

/** Path of a page below SITE, the same in both languages: "lectures/math-first-principles". */
export const path = url => new URL(url, location).pathname.replace(SITE.pathname, "").replace(/\/?(index\.html)?$/, "")
export const here = () => path(location)

export function el(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties)
  node.append(...children)
  return node
}

export const recall = key => { try { return JSON.parse(localStorage.getItem(key)) } catch { return null } }
export const remember = (key, value) => { try { localStorage.setItem(key, JSON.stringify(value)) } catch { /* refused: lasts as long as the page */ } }
