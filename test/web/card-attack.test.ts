/** Everything that users write on a card shows as text, and links only lead to the web and to mail. */
import { onBoard } from './browser.ts'
import { dialogOf, historyLines, partOf } from './card-steps.ts'
import { until } from './until.ts'

const HTML =
  '<img src=x onerror="document.title=1"><script>document.title=2</script><b style="color:red">bold</b>'
/** Text that turns the direction to right-to-left, unless it is isolated. */
const RTL = '\u202Egnp.exe\u2067'
const LINKS = [
  '[script](javascript:document.title=3)',
  '[odd](JaVaScRiPt&#58;document.title=4)',
  '[data](data:text/html,<script>1</script>)',
  '[file](file:///etc/passwd)',
  '[relative](/api/projects)',
  '![picture](https://example.org/a.png)',
  '[web](https://example.org/)',
  '[mail](mailto:ada@example.org)',
  '<https://example.org/auto>',
  '<a href="javascript:1" onclick=1>raw</a>',
].join('\n\n')
const LONG = 'a'.repeat(9000)

onBoard(
  'HTML, script URLs, direction overrides and long words are only text',
  async (t, { api, person }) => {
    const credentials = { email: 'mal@example.test', password: 'correct horse' }
    const name = `${HTML}${RTL}`
    const member = await api.post('/api/members', { body: { name, ...credentials } })
    const { id: projectId } = await api.post('/api/projects', { body: { name: 'Website relaunch' } })
    const title = `${HTML}${RTL}${'b'.repeat(300)}`
    const item = await api.post('/api/projects/{id}/kanban-items', {
      path: { id: projectId },
      body: {
        title: 'Before',
        description: `${HTML}\n\n${RTL}\n\n${LINKS}\n\n${LONG}`,
        assigneeId: member.id,
      },
    })
    const path = { id: item.id }
    await api.patch('/api/kanban-items/{id}', { path, body: { title } })
    await api.post('/api/kanban-items/{id}/comments', {
      path,
      body: { content: `${LINKS}\n\n${HTML}${LONG}` },
    })
    await api.post('/api/kanban-items/{id}/subtasks', { path, body: { title } })
    const label = await api.post('/api/projects/{id}/kanban-labels', {
      path: { id: projectId },
      body: { name: `<b onclick=1>${RTL}`, color: 'red;background:url(https://example.org/x)' },
    })
    const labelPath = { ...path, labelId: label.id }
    await api.put('/api/kanban-items/{id}/labels/{labelId}', { path: labelPath })

    const { page, go } = await person({ signIn: credentials })
    await go(`/projects/${projectId}/items/${item.id}`)
    const dialog = dialogOf(page, title)
    await dialog.waitFor()
    const description = partOf(page, 'Description')
    const comment = partOf(page, 'Comments').getByRole('article')
    await Promise.all([description.locator('.markdown').waitFor(), comment.locator('.markdown').waitFor()])
    await page.keyboard.press('t')

    for (const text of [description, comment]) {
      t.match(await text.textContent(), HTML, 'HTML is text')
      const links = await text.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
      t.strictSame(links, [
        'https://example.org/a.png',
        'https://example.org/',
        'mailto:ada@example.org',
        'https://example.org/auto',
      ])
      const rels = await text.locator('a:not([rel~=noopener][rel~=nofollow])').count()
      t.equal(rels, 0)
    }
    const made = dialog.locator('img, script, iframe, b, [style*=url], [onclick], [onerror]')
    t.equal(await made.count(), 0, 'no element comes of it')
    await partOf(page, 'Subtasks').getByRole('checkbox', { name: title }).waitFor()
    const assignee = dialog.getByRole('combobox', { name: 'Assignee', exact: true })
    t.equal(
      await until(
        () => assignee.inputValue(),
        (shown) => shown === name,
      ),
      name,
    )
    const said = await until(
      () => historyLines(page),
      (lines) => lines.some((line) => line.includes('changed the title')),
    )
    t.equal(said.filter((line) => line.includes('changed the title')).length, 1)
    const unread = /^\(\d+\) /
    const pageTitle = (await page.title()).replace(unread, '')
    t.equal(pageTitle, `${title} · Website relaunch · Phaseboard`, 'no script has run')

    // Isolated text does not reorder its neighbours: the end of the sentence is to the right of its start.
    const entry = partOf(page, 'History').getByRole('listitem').filter({ hasText: 'changed the title' })
    const isInOrder = await entry.evaluate((element) => {
      const [first, last] = ['changed', ' to '].map((word) => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const at = node.parentElement?.closest('bdi') ? -1 : (node.textContent ?? '').indexOf(word)
          if (at === -1) continue
          const range = document.createRange()
          range.setStart(node, at)
          range.setEnd(node, at + word.length)
          return range.getBoundingClientRect()
        }
        return undefined
      })
      return first !== undefined && last !== undefined && (first.y < last.y || first.x < last.x)
    })
    t.ok(isInOrder)
    const overflow = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)
    t.ok(overflow <= 0, 'long words do not widen the dialog')
  },
  { mode: 'required' },
)
