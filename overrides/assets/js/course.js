// Entry point: brings each page to life, also after instant navigation (the theme's `document$` emits every document).
import { LANG, SITE, here, remember } from "./dom.js"
import * as lecture from "./lecture.js"
import * as popover from "./popover.js"

/** The link to the other language leads to this very place. */
function aim(link) {
  const page = here()
  link.href = new URL(link.dataset.root + (page && page + "/"), SITE) + location.hash
}
// before anything else sees the click: the address may have changed since the page was shown
document.addEventListener("click", event => {
  const link = event.target.closest?.(".ir-lang")
  if (!link) return
  aim(link)
  remember("infraref.lang", link.hreflang)
}, true)

/** A box that scrolls can be reached by keyboard; one that does not is no stop on the way. */
const scrolls = new ResizeObserver(entries => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth + 1) target.tabIndex = 0
    else target.removeAttribute("tabindex")
  }
})

window.document$.subscribe(({ body }) => {
  popover.start(body)
  lecture.start(body)
  body.querySelectorAll(".ir-lang").forEach(aim)
  const names = { en: ["Search", "Copy"], zh: ["搜索", "复制"] }[LANG]
  body.querySelector(".md-search").ariaLabel = names[0]
  scrolls.disconnect()
  requestAnimationFrame(() => { // after the theme has wrapped tables and added its buttons
    body.querySelectorAll(".ir-math__body, pre > code, .md-typeset__scrollwrap").forEach(box => scrolls.observe(box))
    body.querySelectorAll("nav.md-code__nav").forEach((nav, i) => nav.ariaLabel = `${names[1]} ${i + 1}`) // landmarks differ by name
  })
})
