/** Edits of Markdown in a field, and ticking tasks in its source. */
import t from 'tap'
import { toHtml } from '../../web/common/markdown/html.ts'
import { withTask } from '../../web/common/markdown/tasks.ts'
import {
  continued,
  type Edit,
  type Format,
  formatted,
  indented,
  retyped,
  type Selected,
} from '../../web/common/text-edit/markdown-edit.ts'

/** A text with its selection between `[` and `]` written as `⟦` and `⟧`, or a caret `|` written as `⟦⟧`. */
function parse(marked: string): Selected {
  const start = marked.indexOf('⟦')
  const end = marked.indexOf('⟧') - 1
  return { text: marked.replace(/[⟦⟧]/g, ''), start, end }
}

const applied = ({ text }: Selected, { from, to, insert, start, end }: Edit): string => {
  const after = text.slice(0, from) + insert + text.slice(to)
  return `${after.slice(0, start)}⟦${after.slice(start, end)}⟧${after.slice(end)}`
}

const format = (name: Format, marked: string) => applied(parse(marked), formatted(name, parse(marked)))
const key = (act: (selected: Selected) => Edit | undefined, marked: string) => {
  const edit = act(parse(marked))
  return edit && applied(parse(marked), edit)
}
const enter = (marked: string) => key(continued, marked)
const space = (marked: string) => key(retyped, marked)
const tab = (marked: string) => key((selected) => indented(selected, false), marked)
const shiftTab = (marked: string) => key((selected) => indented(selected, true), marked)

t.test('formats are written around the selection, and removed again', async (t) => {
  t.equal(format('bold', 'a ⟦b⟧ c'), 'a **⟦b⟧** c')
  t.equal(format('bold', 'a **⟦b⟧** c'), 'a ⟦b⟧ c')
  t.equal(format('bold', '⟦⟧'), '**⟦⟧**')
  t.equal(format('italic', '**⟦b⟧**'), '***⟦b⟧***', 'in bold text')
  t.equal(format('italic', '***⟦b⟧***'), '**⟦b⟧**')
  t.equal(format('italic', '*⟦b⟧*'), '⟦b⟧')
  t.equal(format('code', 'a ⟦b⟧'), 'a `⟦b⟧`')
  t.equal(format('code', 'x\na ⟦b\nc⟧ d'), 'x\n```\n⟦a b\nc d⟧\n```')
  t.equal(format('link', '⟦⟧'), '[⟦⟧](https://)')
  t.equal(format('link', 'a ⟦b⟧ c'), 'a [b](⟦https://⟧) c')
  t.equal(format('link', '⟦https://example.test/a⟧'), '[⟦⟧](https://example.test/a)')
})

t.test('lists and quotes are of whole lines', async (t) => {
  t.equal(format('list', 'a⟦⟧b'), '- a⟦⟧b')
  t.equal(format('list', '- a⟦⟧b'), 'a⟦⟧b')
  t.equal(format('list', '⟦⟧'), '- ⟦⟧', 'in an empty line')
  t.equal(format('list', 'x\na⟦b\n\nc⟧d'), 'x\n⟦- ab\n\n- cd⟧')
  t.equal(format('tasks', '⟦- a\n1. b\n    - [x] c⟧'), '⟦- [ ] a\n- [ ] b\n    - [x] c⟧')
  t.equal(format('tasks', '⟦- [ ] a\n- [x] b⟧'), '⟦a\nb⟧')
  t.equal(format('list', '- [ ] a⟦⟧'), '- a⟦⟧')
  t.equal(format('quote', '⟦a\nb⟧'), '⟦> a\n> b⟧')
  t.equal(format('quote', '⟦> a\n>b⟧'), '⟦a\nb⟧')
})

t.test('Enter continues a list, and ends it on an empty item', async (t) => {
  t.equal(enter('- a⟦⟧'), '- a\n- ⟦⟧')
  t.equal(enter('- a⟦⟧b'), '- a\n- ⟦⟧b', 'an item is split')
  t.equal(enter('  * a⟦⟧'), '  * a\n  * ⟦⟧')
  t.equal(enter('9. a⟦⟧'), '9. a\n10. ⟦⟧')
  t.equal(enter('1) a⟦⟧'), '1) a\n2) ⟦⟧')
  t.equal(enter('- [x] a⟦⟧\nx'), '- [x] a\n- [ ] ⟦⟧\nx', 'a new task is not ticked')
  t.equal(enter('- a\n- ⟦⟧\nx'), '- a\n⟦⟧\nx')
  t.equal(enter('- [ ] ⟦⟧'), '⟦⟧')
  t.equal(enter('- a\n    - ⟦⟧'), '- a\n- ⟦⟧', 'an inner list goes back to the outer one')
  for (const other of ['a⟦⟧', '-a⟦⟧', '⟦⟧- a', '-⟦⟧ a', '- ⟦a⟧', '**b**⟦⟧', '```\n⟦⟧', '']) {
    t.equal(other === '' ? enter('⟦⟧') : enter(other), undefined, other)
  }
})

t.test('a marker that is typed again replaces the one that Enter has written', async (t) => {
  t.equal(space('- [ ] a\n- [ ] -⟦⟧'), '- [ ] a\n- ⟦⟧')
  t.equal(space('- a\n  - -⟦⟧b'), '- a\n  - ⟦⟧b')
  for (const other of ['- -⟦⟧', '- a\n- a -⟦⟧', '- a\n- *⟦⟧', '- a\n-⟦⟧', '- a\n\n- -⟦⟧', '⟦⟧']) {
    t.equal(space(other), undefined, other)
  }
})

t.test('Tab changes the level of items, as far as there is one', async (t) => {
  t.equal(tab('- a\n- b⟦⟧'), '- a\n    - b⟦⟧')
  t.equal(tab('- a\n    - b⟦⟧'), undefined, 'at most one level below, so that Tab leaves the field')
  t.equal(tab('- a⟦⟧'), undefined, 'the first item')
  t.equal(tab('a⟦⟧'), undefined)
  t.equal(tab('- a\n- ⟦b\n- c⟧'), '- a\n    - ⟦b\n    - c⟧')
  t.equal(tab('- a\n⟦- b\nc⟧'), undefined, 'not all are items')
  t.equal(shiftTab('- a\n    - b⟦⟧'), '- a\n- b⟦⟧')
  t.equal(shiftTab('- a\n\t- b⟦⟧'), '- a\n- b⟦⟧')
  t.equal(shiftTab('- a⟦⟧'), undefined)
})

const tick = (text: string, index: number, isTicked = true) =>
  withTask(text, index, isTicked, async (one) => toHtml(one))

t.test('a task is ticked in the source, and nothing else changes', async (t) => {
  t.equal(await tick('- [ ] a\n- [ ] b', 1), '- [ ] a\n- [x] b')
  t.equal(await tick('- [X] a\n- [x] b', 0, false), '- [ ] a\n- [x] b')
  t.equal(await tick('- [x] a', 0), '- [x] a', 'as it is already')
  t.equal(await tick('- [ ] a', 1), undefined)
  t.equal(await tick('no task', 0), undefined)
  const tricky = [
    '```\n- [ ] in code\n- [ ] and more\n```\n\n- [ ] task',
    '    - [ ] code by indentation\n\ntext\n\n- [ ] task',
    'text - [ ] and `- [ ] code`\n\n1. [ ] task',
    '<!-- - [ ] comment -->\n\n- [ ] task',
    '> - [ ] task',
    '- a\n    - [ ] task\n\n      more',
    '* [ ]\ttask',
    '- [ ] task\r\n- a',
    '- - [ ] task',
  ]
  for (const text of tricky) {
    const after = await tick(text, 0)
    t.match(toHtml(after ?? ''), /data-task="1">☑ <\/span>task/, text)
    t.equal(await tick(after ?? '', 0, false), text, 'and back')
  }
})

t.test('every task of any text is found, or left alone', async (t) => {
  const pieces = [
    '- [ ] ',
    '- [x] ',
    '```\n',
    '    ',
    '> ',
    '1. [ ] ',
    'a',
    '\n',
    '\n\n',
    '`',
    '- ',
    '<b>',
    '\t',
    '[ ] ',
    '|-|-|\n',
  ]
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.floor((seed / 2147483648) * below)
  }
  const statesOf = (text: string) =>
    [...(toHtml(text) ?? '').matchAll(/data-task="([01])"/g)].map(([, one]) => one)
  let found = 0
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: 3 + random(20) }, () => pieces[random(pieces.length)]).join('')
    const states = statesOf(text)
    for (const [index, state] of states.entries()) {
      const after = await tick(text, index, state === '0')
      if (after === undefined) continue
      found++
      t.strictSame(statesOf(after), states.with(index, state === '0' ? '1' : '0'), JSON.stringify(text))
      t.equal(after.length, text.length)
    }
  }
  t.ok(found > 100, `${found} tasks`)
})
