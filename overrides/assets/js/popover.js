// One popover for figures, terms, states of measurements and marks of formulas. A pointer resting on a mark opens it for a look;
// a click, a tap, Enter or Space keeps it open.
import { LANG, SITE, el } from "./dom.js"

const TEXT = {
  en: {
    exact: "value", fn: "open the function", checked: "checked", term: "in the glossary", needs: "Needs",
    later: "The value appears here once a record exists.", runs: n => `median and quartiles of ${n} runs`,
    threads: n => `${n} thread${n === "1" ? "" : "s"}`,
    check: "compared with this function at random points", test: "held by this test", cite: "quoted from",
  },
  zh: {
    exact: "值", fn: "打开函数", checked: "已核对", term: "在术语表中", needs: "需要",
    later: "有了记录，数值就会显示在这里。", runs: n => `${n} 次运行的中位数与四分位数`, threads: n => `${n} 线程`,
    check: "已在随机点上与这个函数比较", test: "由这个测试核对", cite: "引自",
  },
}[LANG]
const MARKS = ".ir-figure[role], .ir-term[role], .ir-open, .ir-measured, .ir-tick"
const EDGE = 10 // pixels kept free at the sides of the window

const p = (...children) => el("p", {}, ...children)
const make = tag => textContent => el(tag, { textContent })
const [code, b, small] = ["code", "b", "small"].map(make)
const link = (target, textContent) => el("a", { href: new URL(`reference/${target}`, SITE).href, textContent })

const CONTENT = {
  "ir-figure"({ expr, exact, unit, ref }) {
    const report = document.querySelector(".ir-verified > p")
    const state = small(report?.querySelector("svg") ? `✓ ${TEXT.checked} · ` : "")
    state.append(report?.querySelector("span")?.textContent ?? "")
    return [code(expr), p(`${TEXT.exact} `, b(`${exact} ${unit}`.trim())), p(state, ref ? link(`functions/${ref}`, TEXT.fn) : "")]
  },
  "ir-term": ({ term, definition, other }, mark) =>
    [p(b(mark.textContent), " ", small(other)), p(definition), p(link(`glossary/#${term}`, TEXT.term))],
  "ir-open": ({ needs, command }) => [p(`${TEXT.needs} ${needs}`), code(command), p(small(TEXT.later))],
  "ir-measured": ({ what, device, threads, versions, runs, command, record }) =>
    [p(b(what)), p([device, TEXT.threads(threads), versions].join(" · ")), p(TEXT.runs(runs)), code(command),
      p(small(`infra_ref/records/${record}.json`))],
  "ir-tick": ({ kind, how, ref }) => [p(TEXT[kind]), code(how), ref ? p(link(`functions/${ref}`, TEXT.fn)) : ""],
}

const pop = el("div", { className: "ir-pop", id: "ir-pop", hidden: true, tabIndex: -1, role: "dialog" })
let owner = null
let pinned = false
let timer = 0
let quiet = false // focus comes back to the mark: do not open again

function place() {
  pop.style.left = pop.style.top = 0 // measured where it cannot widen the page
  const { left, top, bottom } = owner.getClientRects()[0]
  const { clientWidth, clientHeight } = document.documentElement
  const { offsetWidth: width, offsetHeight: height } = pop
  const header = document.querySelector(".md-header").offsetHeight
  const below = bottom + height + EDGE < clientHeight || top - height - EDGE < header
  pop.style.left = `${Math.max(EDGE, Math.min(left, clientWidth - width - EDGE)) + scrollX}px`
  pop.style.top = `${(below ? bottom + 6 : top - height - 6) + scrollY}px`
}

function show(mark, pin) {
  clearTimeout(timer)
  if (owner !== mark) hide()
  owner = mark
  pinned ||= pin
  const kind = Object.keys(CONTENT).find(name => mark.classList.contains(name))
  pop.replaceChildren(...CONTENT[kind](mark.dataset, mark))
  pop.ariaLabel = mark.ariaLabel ?? mark.textContent
  pop.hidden = false
  mark.ariaExpanded = true
  mark.setAttribute("aria-controls", pop.id)
  place()
}

function hide() {
  clearTimeout(timer)
  if (owner) owner.ariaExpanded = false
  owner = null
  pinned = false
  pop.hidden = true
}

function back() {
  const mark = owner
  hide()
  quiet = true
  mark.focus({ preventScroll: true })
  quiet = false
}

const markAt = event => event.target.closest?.(MARKS)
const soon = (ms, what) => { clearTimeout(timer); timer = setTimeout(what, ms) }
const leave = () => soon(220, () => pinned || hide())

document.addEventListener("pointerover", event => {
  if (event.pointerType !== "mouse" || pinned) return
  const mark = markAt(event)
  if (mark) soon(owner ? 0 : 120, () => show(mark, false))
  else if (pop.contains(event.target)) clearTimeout(timer)
  else if (owner) leave()
  else clearTimeout(timer)
})
document.addEventListener("click", event => {
  const mark = markAt(event)
  if (mark && !(mark === owner && pinned)) show(mark, true)
  else if (mark || !pop.contains(event.target)) hide()
})
document.addEventListener("keydown", event => {
  const mark = markAt(event)
  const inside = pop.contains(document.activeElement)
  if (mark && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault()
    show(mark, true)
    ;(pop.querySelector("a") ?? pop).focus({ preventScroll: true })
  } else if (owner && event.key === "Escape") inside ? back() : hide()
  else if (owner && event.key === "Tab" && inside) { // the popover is last in the document: Tab goes on from the mark
    if (event.shiftKey) event.preventDefault()
    back()
  }
})
document.addEventListener("focusin", event => {
  const mark = markAt(event)
  if (mark?.matches(":focus-visible") && !quiet) show(mark, false)
})
document.addEventListener("focusout", event => {
  if (owner && !pinned && !pop.contains(event.relatedTarget)) leave()
})
addEventListener("resize", () => owner && place())

/** Each page begins with a closed popover; instant navigation replaces the page around it. */
export function start(body) {
  hide()
  body.append(pop)
}
