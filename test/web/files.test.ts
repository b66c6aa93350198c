/** Files of cards: uploads, the viewer of pictures, files in texts, and covers. */
import type { Locator, Page, Route } from 'playwright-core'
import t from 'tap'
import type { Attachment } from '../../src/client/api.d.ts'
import type { Client } from '../../src/client/types.d.ts'
import { extensionOf, isPicture, linkOf } from '../../web/common/files/kinds.ts'
import { toHtml } from '../../web/common/markdown/html.ts'
import { bytesOf, png } from '../attachments.ts'
import { card, projectWith } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { dialogOf, makeCard, partOf } from './card-steps.ts'
import { swipe } from './gestures.ts'
import { until } from './until.ts'

/** A file to choose, drop or paste. */
interface Given {
  name: string
  mimeType: string
  buffer: Buffer
}

const picture = (name: string, width = 100, height = 80): Given => ({
  name,
  mimeType: 'image/png',
  buffer: png(width, height),
})
const text = (name: string, content: string | Buffer = 'Some notes'): Given => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
})

/** Chooses files in the dialog's section. */
const choose = (page: Page, ...files: Given[]) =>
  partOf(page, 'Files').locator('input[type=file]').setInputFiles(files)

/** A picture that is large in every respect. */
async function photo(page: Page, name: string): Promise<Given> {
  const base64 = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(1200, 900)
    const context = canvas.getContext('2d')
    for (let x = 0; x < 1200; x += 8) {
      for (let y = 0; y < 900; y += 8) {
        if (context) context.fillStyle = `hsl(${(x * 7 + y * 13) % 360} 80% ${(x * y) % 100}%)`
        context?.fillRect(x, y, 8, 8)
      }
    }
    const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  })
  return { name, mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') }
}

/** What drags or pastes files, as the browser gives it. */
const transferOf = (page: Page, files: readonly Given[]) =>
  page.evaluateHandle(
    (all) => {
      const transfer = new DataTransfer()
      for (const { name, mimeType, base64 } of all) {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        transfer.items.add(new File([bytes], name, { type: mimeType }))
      }
      return transfer
    },
    files.map(({ name, mimeType, buffer }) => ({ name, mimeType, base64: buffer.toString('base64') })),
  )

/** Sends the events of a drag of files that ends on an element. @returns whether the page took the drag */
async function dropOn(page: Page, target: Locator, ...files: Given[]): Promise<boolean> {
  const dataTransfer = await transferOf(page, files)
  const before = (event: string) =>
    target.evaluate(
      (element, [type, transfer]) =>
        !element.dispatchEvent(
          new DragEvent(type as string, {
            bubbles: true,
            cancelable: true,
            dataTransfer: transfer as DataTransfer,
          }),
        ),
      [event, dataTransfer] as const,
    )
  const isTaken = await before('dragover')
  await before('drop')
  return isTaken
}

/** Pastes files into the focused field. */
async function paste(page: Page, field: Locator, ...files: Given[]): Promise<void> {
  const clipboardData = await transferOf(page, files)
  await field.evaluate(
    (element, transfer) =>
      element.dispatchEvent(
        new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: transfer }),
      ),
    clipboardData,
  )
}

const attachmentsOf = (api: Client, id: string) =>
  api.get('/api/kanban-items/{id}/attachments', { path: { id } })

const attach = async (api: Client, id: string, { name, buffer }: Given): Promise<Attachment> => {
  const made = await api.post('/api/kanban-items/{id}/attachments', {
    path: { id },
    query: { name },
    body: buffer,
  })
  const [first] = [made].flat()
  if (first === undefined) throw new Error('no attachment')
  return first
}

const rows = (page: Page) => partOf(page, 'Files').getByRole('listitem')
const row = (page: Page, name: string) => rows(page).filter({ hasText: name })

const isLoaded = (image: Locator) =>
  until(
    () => image.evaluate((one: HTMLImageElement) => one.complete && one.naturalWidth > 0),
    (loaded) => loaded,
  )

onBoard('files are attached, renamed, deleted and restored', async (t, { api, person, url }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const { page, go } = await person()
  await go(path)
  await choose(page, await photo(page, 'Front.png'), text('notes.txt'))
  await row(page, 'notes.txt').getByRole('link').waitFor()
  await isLoaded(row(page, 'Front.png').locator('img'))
  const made = await until(
    () => attachmentsOf(api, item.id),
    (all) => all.length === 2 && all.some(({ hasThumbnail }) => hasThumbnail),
  )
  const front = made.find(({ name }) => name === 'Front.png')
  const thumbnail = await fetch(`${url}/api/attachments/${front?.id}/thumbnail`)
  t.match(thumbnail.headers.get('content-type'), /^image\/(?:webp|jpeg)$/, 'the browser made it')
  const small = Number(thumbnail.headers.get('content-length'))
  t.ok(small > 0 && small <= 65_536, `${small} bytes`)
  const width = await row(page, 'Front.png')
    .locator('img')
    .evaluate((image: HTMLImageElement) => image.naturalWidth)
  t.equal(width, 480)
  t.match(await row(page, 'notes.txt').innerText(), /10 bytes/)
  t.equal(await row(page, 'notes.txt').getByRole('link').getAttribute('download'), 'notes.txt')

  const act = async (name: string, action: string) => {
    await partOf(page, 'Files')
      .getByRole('button', { name: `Actions for ${name}` })
      .click()
    await page.getByRole('menuitem', { name: action, exact: true }).click()
  }
  await act('notes.txt', 'Rename…')
  await page.getByRole('textbox', { name: 'Name' }).fill('<b>minutes.txt')
  await page.keyboard.press('Enter')
  await row(page, '<b>minutes.txt').waitFor()
  await act('<b>minutes.txt', 'Delete')
  await row(page, 'minutes').waitFor({ state: 'detached' })
  // Until the deletion is saved, Undo is that of the former message.
  await page.getByRole('status').getByText('“<b>minutes.txt” deleted.').waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await row(page, '<b>minutes.txt').waitFor()

  await page.getByRole('button', { name: 'Attach a link…' }).click()
  await page.getByRole('textbox', { name: 'Address' }).fill('javascript:alert(1)')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await page.getByRole('textbox', { name: 'Address' }).fill('https://example.org/plan')
  await page.getByRole('textbox', { name: 'Name' }).fill('The plan')
  await page.keyboard.press('Enter')
  const link = row(page, 'The plan').getByRole('link')
  await link.waitFor()
  t.equal(await link.getAttribute('href'), 'https://example.org/plan')
  t.match(await link.getAttribute('rel'), /noopener/)

  // Others' files come by the stream, with a thumbnail that is stored after them.
  const other = await attach(api, item.id, picture('Theirs.png'))
  await row(page, 'Theirs.png').waitFor()
  await api.put('/api/attachments/{id}/thumbnail', { path: { id: other.id }, body: png(8, 8) })
  await isLoaded(row(page, 'Theirs.png').locator('img'))
  await partOf(page, 'History').getByText('attached Theirs.png').waitFor()
})

onBoard(
  'uploads show their progress, two at once, and can be cancelled and tried again',
  async (t, { api, person }) => {
    const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
    const { page, go } = await person()
    await go(path)
    await partOf(page, 'Files').waitFor()
    const waiting: (() => void)[] = []
    let most = 0
    await page.route('**/attachments?name=*', async (route) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        most = Math.max(most, waiting.length)
      })
      await route.continue().catch(() => undefined)
    })
    await choose(page, ...['a', 'b', 'c', 'd', 'e'].map((name) => text(`${name}.txt`, `It is ${name}`)))
    const progress = partOf(page, 'Files').getByRole('progressbar')
    await until(
      () => progress.count(),
      (count) => count === 2,
    )
    t.equal(await rows(page).filter({ hasText: 'Waiting…' }).count(), 3)
    t.equal(await progress.first().getAttribute('aria-label'), 'Upload of a.txt')
    await page.getByRole('button', { name: 'Cancel the upload of b.txt' }).click()
    await page.getByRole('button', { name: 'Cancel the upload of e.txt' }).click()
    const begun = (files: number) =>
      until(
        async () => waiting.length,
        (count) => count === files,
      )
    await begun(3)
    t.equal(await row(page, 'b.txt').count(), 0)
    for (const go of waiting) go()
    await begun(4)
    waiting.at(-1)?.()
    await until(
      () => rows(page).getByRole('link').allInnerTexts(),
      (names) => names.length === 3,
    )
    t.strictSame((await attachmentsOf(api, item.id)).map(({ name }) => name).sort(), [
      'a.txt',
      'c.txt',
      'd.txt',
    ])
    await page.unroute('**/attachments?name=*')

    // The service refuses it: the reason, and the file, stay.
    await page.route(
      '**/attachments?name=*',
      (route) =>
        route.fulfill({
          status: 507,
          contentType: 'application/problem+json',
          body: JSON.stringify({ title: 'No space left for attachments', code: 'no_space' }),
        }),
      { times: 1 },
    )
    await choose(page, text('f.txt', 'It is f'))
    await partOf(page, 'Files').getByText('Not uploaded: No space left for attachments').waitFor()

    // Then the response is lost after the service has stored it: it is sent again with the same key, and stored once.
    const keys: (string | undefined)[] = []
    await page.route('**/attachments?name=*', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) {
        await route.continue()
        return
      }
      await route.fetch()
      await route.abort('connectionreset')
    })
    await page.getByRole('button', { name: 'Try again: f.txt' }).click()
    // The stream brings it before the retry.
    await row(page, 'f.txt').getByRole('link').waitFor()
    await until(
      () => row(page, 'f.txt').count(),
      (count) => count === 1,
    )
    t.equal(keys.length, 2)
    t.equal(keys[0], keys[1])
    const named = (await attachmentsOf(api, item.id)).filter(({ name }) => name === 'f.txt')
    t.equal(named.length, 1, 'it is attached once')
    await page.unroute('**/attachments?name=*')

    // Above the service's limit.
    await choose(page, text('large.bin', bytesOf(200_000)))
    t.match(await row(page, 'large.bin').getByRole('alert').innerText(), /^Not uploaded: .*too large/i)
    await page.getByRole('button', { name: 'Discard large.bin' }).click()
    await row(page, 'large.bin').waitFor({ state: 'detached' })
  },
  { environment: { ATTACHMENT_LIMIT: '100000' } },
)

onBoard(
  'files that were not loaded are loaded again, and not said to be none',
  async (t, { api, person }) => {
    const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
    const body = { url: 'https://example.org/', name: 'Notes' }
    await api.post('/api/kanban-items/{id}/attachments', { path: { id: item.id }, body })
    const { page, go, problems } = await person()
    problems.expect(/500|404/)
    const refuse = (route: Route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":"Internal"}' })
    await page.route('**/attachments', refuse)
    await go(path)
    await partOf(page, 'Files').getByRole('alert').waitFor()
    t.equal(await partOf(page, 'Files').getByText('No files.').count(), 0)

    t.comment('also if the connection was back before this part of the page was')
    const part = Promise.withResolvers<void>()
    await page.route('**/assets/files-*.js', async (route) => {
      await part.promise
      await route.continue()
    })
    const refused = page.waitForResponse(/\/attachments$/)
    await go(path)
    await (await refused).finished()
    await dialogOf(page, 'Rewrite pages').waitFor()
    await page.unroute('**/attachments')
    part.resolve()
    await row(page, 'Notes').waitFor()
  },
)

onBoard('files are dropped on the dialog and on cards of the board', async (t, { api, person }) => {
  const { path, cards } = await projectWith(api, { 'To Do': ['Flyer', 'Poster'] })
  const flyer = cards.get('Flyer') ?? ''
  const { page, go } = await person()
  await go(path)
  await page.mouse.move(300, 300)
  await card(page, 'Flyer').hover()
  const transfer = await transferOf(page, [text('notes.txt')])
  const over = () => card(page, 'Flyer').dispatchEvent('dragover', { dataTransfer: transfer })
  await until(
    async () => {
      await over()
      return card(page, 'Flyer').getAttribute('data-takes-files')
    },
    (mark) => mark !== null,
  )
  t.equal(await card(page, 'Poster').getAttribute('data-takes-files'), null)
  await dropOn(page, card(page, 'Flyer'), text('notes.txt'))
  await page.getByText('“notes.txt” attached to “Flyer”.').first().waitFor()
  t.equal(await card(page, 'Flyer').getAttribute('data-takes-files'), null)
  t.strictSame(
    (await attachmentsOf(api, flyer)).map(({ name }) => name),
    ['notes.txt'],
  )
  t.ok(await dropOn(page, page.getByRole('heading', { level: 1 }), text('other.txt')), 'it is not opened')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await until(
    () => attachmentsOf(api, flyer),
    (all) => all.length === 0,
  )

  await page.getByRole('link', { name: 'Flyer', exact: true }).click()
  await partOf(page, 'Files').waitFor()
  const heading = partOf(page, 'Description').getByRole('heading')
  const dragged = await transferOf(page, [text('dropped.txt')])
  // A browser repeats the event while files are over the page.
  const shown = async () => {
    await heading.dispatchEvent('dragover', { dataTransfer: dragged })
    const isSaid = await page.getByText('Drop files here to attach them.').isVisible()
    return isSaid && (await dialogOf(page).getAttribute('data-takes-files')) === ''
  }
  await until(shown, Boolean)
  await dropOn(page, heading, text('dropped.txt'))
  await row(page, 'dropped.txt').getByRole('link').waitFor()
  await page.getByText('Drop files here to attach them.').waitFor({ state: 'detached' })
})

onBoard(
  'files that are pasted outside of a text are attached to the open card',
  async (t, { api, person }) => {
    const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
    const { page, go } = await person()
    await go(path)
    await partOf(page, 'Files').waitFor()
    await paste(page, partOf(page, 'Description').getByRole('heading'), picture('Front.png'))
    await row(page, 'Front.png').getByRole('link').waitFor()
    await page.getByRole('button', { name: 'Attach a link…' }).click()
    const above = page.getByRole('dialog', { name: 'Attach a link…' })
    await paste(page, above.getByRole('button', { name: 'Close' }), picture('Above.png'))
    await page.keyboard.press('Escape')
    await paste(page, partOf(page, 'Description').getByRole('heading'), picture('Back.png'))
    await row(page, 'Back.png').getByRole('link').waitFor()
    t.strictSame(
      (await attachmentsOf(api, item.id)).map(({ name }) => name),
      ['Front.png', 'Back.png'],
      'none from the dialog above it',
    )
  },
)

onBoard('pasted pictures show in texts', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages', description: 'Before after' })
  const { page, go } = await person()
  await go(path)
  await page.getByRole('button', { name: 'Edit the description' }).click()
  const field = page.getByRole('textbox', { name: 'Description' })
  await field.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(7, 7))
  let proceed = () => {}
  const held = new Promise<void>((resolve) => {
    proceed = resolve
  })
  await page.route('**/attachments?name=*', async (route) => {
    await held
    await route.continue()
  })
  await paste(page, field, picture('Front [1].png'))
  t.match(
    await field.inputValue(),
    /^Before !\[Uploading Front .*…\]\(\d+\)after$/,
    'a placeholder at the caret',
  )
  t.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true)
  await page.keyboard.type('and ')
  proceed()
  const value = await until(
    () => field.inputValue(),
    (now) => now.includes('attachment:'),
  )
  const [made] = await attachmentsOf(api, item.id)
  t.equal(value, `Before ![Front \\[1\\].png](attachment:${made?.id})and after`)
  await page.keyboard.press('Control+Enter')
  const image = partOf(page, 'Description').getByRole('img', { name: 'Front [1].png' })
  await isLoaded(image)
  t.equal(await image.getAttribute('width'), '100', 'its place is reserved')

  t.comment('the text is closed and opened again while a file is uploaded')
  let end = () => {}
  const uploaded = new Promise<void>((resolve) => {
    end = resolve
  })
  await page.route(
    '**/attachments?name=*',
    async (route) => {
      await uploaded
      await route.continue()
    },
    { times: 1 },
  )
  await page.getByRole('button', { name: 'Edit the description' }).click()
  await paste(page, field, picture('Back.png'))
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  t.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true)
  await page.keyboard.type(' and a paragraph')
  end()
  const reopened = await until(
    () => field.inputValue(),
    (now) => now.split('attachment:').length === 3,
  )
  t.match(reopened, /attachment:.*attachment:[\da-f-]{36}\) and a paragraph$/s, 'nothing typed is lost')
  await page.keyboard.press('Control+Enter')
  await partOf(page, 'Description').getByText('and a paragraph').waitFor()

  // A failure leaves no placeholder.
  await page.route(
    '**/attachments?name=*',
    (route) => route.fulfill({ status: 507, contentType: 'application/json', body: '{"error":"No space"}' }),
    { times: 1 },
  )
  const comment = page.getByRole('textbox', { name: 'New comment' })
  await comment.fill('Look: ')
  await paste(page, comment, picture('b.png'))
  await page.getByText('“b.png” not attached: No space').first().waitFor()
  t.equal(await comment.inputValue(), 'Look: ')
  await dropOn(page, comment, text('notes.txt'))
  await until(
    () => comment.inputValue(),
    (now) => now.includes('attachment:'),
  )
  await page.keyboard.type(' and say')
  t.match(
    await comment.inputValue(),
    /^Look: \[notes\.txt\]\(attachment:[\da-f-]{36}\) and say$/,
    'the next key comes after the link',
  )
  await page.keyboard.press('Control+Enter')
  const link = partOf(page, 'Comments').getByRole('article').getByRole('link', { name: 'notes.txt' })
  t.equal(await link.getAttribute('download'), 'notes.txt')

  // A file of another card stays text, and so does anything else that is no id.
  const other = await makeCard({ api }, { title: 'Other' })
  const theirs = await attach(api, other.item.id, picture('Theirs.png'))
  await api.patch('/api/kanban-items/{id}', {
    path: { id: item.id },
    body: {
      description: `New ![of others](attachment:${theirs.id}) ![bad](attachment:../x) ![out](https://example.org/x.png)`,
    },
  })
  const shown = partOf(page, 'Description').locator('.markdown')
  await shown.getByText('of others').waitFor()
  t.equal(await shown.locator('img').count(), 0)
  t.strictSame(await shown.getByRole('link').allInnerTexts(), ['out'])
})

onBoard('pictures are viewed one after another, SVG and HTML are downloads', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const script = '<script>document.title = "run"</script>'
  await attach(api, item.id, picture('One.png'))
  await attach(api, item.id, text('page.html', `<!doctype html><html>${script}</html>`))
  await attach(api, item.id, text('drawing.svg', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`))
  await attach(api, item.id, picture('Two.png', 30, 90))
  const { page, go } = await person()
  await go(path)
  const one = row(page, 'One.png').getByRole('link')
  await one.focus()
  await page.keyboard.press('Enter')
  await dialogOf(page, 'One.png').waitFor()
  const image = () => dialogOf(page).last().locator('figure img')
  await isLoaded(image())
  t.equal(await image().getAttribute('alt'), 'One.png')
  const place = await image().boundingBox()
  await page.keyboard.press('ArrowRight')
  await dialogOf(page, 'Two.png').waitFor()
  t.strictSame(await image().boundingBox(), place, 'its place stays the same')
  await page.keyboard.press('x')
  await page.keyboard.press('m')
  t.equal(await dialogOf(page).count(), 2, 'the keys of the card do nothing below it')
  t.equal((await api.get('/api/kanban-items/{id}', { path: { id: item.id } })).dismissed, false)
  await page.keyboard.press('ArrowRight')
  await dialogOf(page, 'One.png').waitFor()
  await page.keyboard.press('ArrowLeft')
  await dialogOf(page, 'Two.png').waitFor()
  await page.keyboard.press('Escape')
  await dialogOf(page, 'Two.png').waitFor({ state: 'detached' })
  t.ok(await one.evaluate((link) => link === document.activeElement), 'the focus is back')
  await dialogOf(page, 'Rewrite pages').waitFor()

  for (const name of ['page.html', 'drawing.svg']) {
    const link = row(page, name).getByRole('link')
    const downloading = page.waitForEvent('download')
    await link.click()
    t.equal((await downloading).suggestedFilename(), name)
    t.equal(await row(page, name).locator('img').count(), 0)
  }
  t.equal(await page.title(), 'Rewrite pages · Website relaunch · Phaseboard')
})

onBoard('a swipe shows the next picture', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
  await attach(api, item.id, picture('One.png'))
  await attach(api, item.id, picture('Two.png'))
  const { page, go } = await person({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } })
  await go(path)
  await row(page, 'One.png').getByRole('link').tap()
  await dialogOf(page, 'One.png').waitFor()
  await swipe(page, dialogOf(page, 'One.png').locator('figure'), { x: -150, y: 0 })
  await dialogOf(page, 'Two.png').waitFor()
  const buttons = dialogOf(page, 'Two.png').getByRole('button')
  for (const box of await Promise.all((await buttons.all()).map((one) => one.boundingBox())))
    t.ok((box?.height ?? 0) >= 44 && (box?.width ?? 0) >= 44, 'a target for fingers')
})

onBoard('a cover shows on the card, without moving anything', async (t, { api, person }) => {
  const { path, cards } = await projectWith(api, { 'To Do': ['Flyer', 'Poster'] })
  const flyer = cards.get('Flyer') ?? ''
  // Another program attached it, so it has no thumbnail yet.
  const front = await attach(api, flyer, picture('Front.png', 100, 15))
  await attach(api, flyer, text('notes.txt'))
  const { page, go } = await person()
  await go(`${path}/items/${flyer}`)
  await partOf(page, 'Files').getByRole('button', { name: 'Actions for notes.txt' }).click()
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).waitFor()
  t.equal(await page.getByRole('menuitem', { name: 'Use as cover' }).count(), 0, 'only pictures')
  await page.keyboard.press('Escape')
  await partOf(page, 'Files').getByRole('button', { name: 'Actions for Front.png' }).click()
  await page.getByRole('menuitem', { name: 'Use as cover' }).click()
  await row(page, 'Front.png').getByText('Cover', { exact: true }).waitFor()
  await until(
    () => api.get('/api/kanban-items/{id}', { path: { id: flyer } }),
    ({ coverId }) => coverId === front.id,
  )
  t.equal((await attachmentsOf(api, flyer)).find(({ id }) => id === front.id)?.hasThumbnail, true)

  // The picture comes late.
  const { page: board, go: open } = await person({ colorScheme: 'dark' })
  let proceed = () => {}
  const held = new Promise<void>((resolve) => {
    proceed = resolve
  })
  const asked: string[] = []
  board.on('request', (request) => {
    if (request.url().includes('/attachments')) asked.push(new URL(request.url()).pathname)
  })
  await board.route('**/thumbnail', async (route) => {
    await held
    await route.continue()
  })
  await open(path)
  await card(board, 'Poster').waitFor()
  const cover = card(board, 'Flyer').locator('img')
  const [before, place] = [await cover.boundingBox(), await card(board, 'Poster').boundingBox()]
  proceed()
  await isLoaded(cover)
  t.strictSame(await cover.boundingBox(), before)
  t.strictSame(await card(board, 'Poster').boundingBox(), place)
  t.equal(Math.round(((before?.width ?? 0) / (before?.height ?? 1)) * 9), 16, 'its form is fixed')
  t.strictSame(asked, [`/api/attachments/${front.id}/thumbnail`], 'nothing else is asked for')
  const menu = board.getByRole('button', { name: 'Actions for Flyer' })
  const [face, below] = await menu.evaluate((button) => [
    getComputedStyle(button).backgroundColor,
    getComputedStyle(button.closest('article') ?? button).backgroundColor,
  ])
  t.equal(face, below, 'the menu can be seen above any picture')

  // It goes with the attachment.
  await api.delete('/api/attachments/{id}', { path: { id: front.id } })
  await cover.waitFor({ state: 'detached' })
})

onBoard('the German page has German words for files', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Seiten' })
  await attach(api, item.id, picture('Bild.png'))
  const { page, go } = await person({ locale: 'de-DE' })
  await go(path)
  const part = partOf(page, 'Dateien')
  await part.getByRole('button', { name: 'Dateien anhängen …' }).waitFor()
  await part.getByRole('link', { name: 'Bild.png' }).click()
  await page.getByRole('link', { name: 'Herunterladen' }).waitFor()
  t.match(await page.getByText('1 von 1').innerText(), /Bild\.png/)
})

t.test('the Markdown of files, and words for them', async (t) => {
  const id = '01a2151d-85d2-7365-8b24-8bcaf79862cb'
  t.equal(
    toHtml(`![A "b"](attachment:${id})`),
    `<p><span data-attachment="${id}" data-picture="A &quot;b&quot;">A &quot;b&quot;</span></p>\n`,
  )
  t.equal(toHtml(`[*Plan*](attachment:${id})`), `<p><span data-attachment="${id}"><em>Plan</em></span></p>\n`)
  for (const bad of [
    'attachment:',
    'attachment:x',
    `attachment:${id}/../x`,
    `attachments:${id}`,
    `data:${id}`,
  ])
    t.equal(toHtml(`![shown](${bad})`), '<p>shown</p>\n', bad)
  t.equal(
    toHtml('![shown](https://example.org/x.png)'),
    '<p><a href="https://example.org/x.png">shown</a></p>\n',
  )

  t.strictSame(['a.pdf', 'b.tar.gz', 'README', 'c.markdown', '.env'].map(extensionOf), [
    'PDF',
    'GZ',
    '',
    '',
    'ENV',
  ])
  const file = { kind: 'file', mediaType: 'image/png' } as Attachment
  t.equal(isPicture(file), true)
  t.equal(isPicture({ ...file, mediaType: 'image/svg+xml' }), false)
  t.equal(isPicture({ ...file, mediaType: null, kind: 'link' }), false)
  const link = { kind: 'link', url: 'https://example.org' } as Attachment
  t.equal(linkOf(link), 'https://example.org')
  t.equal(linkOf({ ...link, url: 'javascript:alert(1)' }), undefined)
})
