// Predictions, explorers, self-checks and progress. Nothing here calculates: it shows what Python computed.
import { LANG, SITE, el, here, path, recall, remember } from "./dom.js"

const TEXT = {
  en: { right: "correct", wrong: "not so", done: (n, of) => `${n} of ${of} done`, ring: "Self-check: ", resume: "Continue: " },
  zh: { right: "正确", wrong: "不对", done: (n, of) => `已掌握 ${n} / ${of}`, ring: "自查：", resume: "继续：" },
}[LANG]

function predict(box) {
  const buttons = [...box.querySelectorAll("button")]
  const derivation = box.querySelector("details")
  const right = buttons[box.dataset.answer - 1]
  const say = (button, text) => button.append(el("span", { className: "ir-aside", textContent: ` (${text})` }))
  const reveal = () => {
    box.dataset.done = ""
    derivation.open = true
    if (right.dataset.right) return
    right.dataset.right = "yes"
    say(right, TEXT.right)
    for (const button of buttons) button.ariaDisabled = true
  }
  for (const button of buttons) button.addEventListener("click", () => {
    if (right.dataset.right) return
    button.ariaPressed = true
    if (button !== right) say(button, TEXT.wrong)
    reveal()
  })
  derivation.addEventListener("toggle", () => derivation.open && reveal())
}

function explore(panel) {
  const rows = JSON.parse(panel.dataset.rows)
  const input = panel.querySelector("input")
  const paint = () => {
    const row = rows[input.value]
    const value = panel.querySelector("output").textContent = row[input.dataset.key]
    for (const node of panel.querySelectorAll("[data-k]")) node.textContent = row[node.dataset.k]
    for (const bar of panel.querySelectorAll("[data-w]")) bar.style.width = `${row[bar.dataset.w]}%`
    const reads = [...panel.querySelectorAll("dl > div")].map(pair => pair.innerText.replace("\n", " "))
    input.setAttribute("aria-valuetext", [value, ...reads].join(", "))
  }
  input.addEventListener("input", paint)
  paint()
}

// One record for both languages: page path -> ids of ticked items, number of items, time of the last tick.
const KEY = "infraref.progress.v1"
const progress = () => recall(KEY) ?? {}
const lectureOf = page => page.match(/^(lectures|labs)\/[^/]+/)?.[0]

function selfcheck(box) {
  const inputs = [...box.querySelectorAll("input")]
  const bar = el("progress", { max: inputs.length, ariaHidden: true })
  const words = el("span", { role: "status" })
  box.prepend(el("p", { className: "ir-selfcheck__sum" }, bar, words))
  const ticked = () => inputs.filter(input => input.checked).map(input => input.id)
  const paint = () => {
    bar.value = ticked().length
    words.textContent = TEXT.done(bar.value, inputs.length)
  }
  const before = progress()[here()]?.done ?? []
  for (const input of inputs) input.checked = before.includes(input.id)
  paint()
  box.addEventListener("change", () => {
    remember(KEY, { ...progress(), [here()]: { done: ticked(), total: inputs.length, at: Date.now() } })
    paint()
    rings(document)
  })
}

function rings(body) {
  const pages = Object.entries(progress())
  for (const link of body.querySelectorAll(".md-nav--primary .md-nav__link:is(a, [for=__toc]), .ir-map a")) {
    const lecture = link.href ? path(link.href) : here()
    if (!lecture || lectureOf(lecture) !== lecture) continue
    let done = 0, total = 0
    for (const [page, entry] of pages) if (lectureOf(page) === lecture) {
      done += entry.done.length
      total += entry.total
    }
    let ring = link.querySelector(".ir-ring")
    if (!ring) link.querySelector(".md-ellipsis, .ir-node__name").after(ring = el("span", { className: "ir-ring", role: "img" }))
    ring.style.setProperty("--p", total && 100 * done / total)
    ring.toggleAttribute("data-full", total && done === total)
    ring.ariaLabel = TEXT.ring + TEXT.done(done, total)
    ring.ariaHidden = !total
  }
}

function resume(box) {
  const begun = Object.entries(progress()).filter(([, { done, total }]) => done.length && done.length < total)
  const [page, entry] = begun.sort(([, a], [, b]) => b.at - a.at)[0] ?? []
  box.hidden = !page
  if (!page) return
  const node = [...document.querySelectorAll(".ir-map__list a")].find(link => path(link.href) === lectureOf(page))
  const textContent = node?.querySelector(".ir-node__name").firstChild.textContent ?? page
  const link = el("a", { href: new URL(`${page}/#self-check`, SITE), textContent })
  box.replaceChildren(el("p", {}, TEXT.resume, link, ` · ${TEXT.done(entry.done.length, entry.total)}`))
}

export function start(body) {
  const parts = { ".ir-predict": predict, ".ir-explore__panel": explore, ".ir-selfcheck": selfcheck, ".ir-resume": resume }
  for (const [blocks, bring] of Object.entries(parts)) body.querySelectorAll(blocks).forEach(box => bring(box))
  rings(body)
}
