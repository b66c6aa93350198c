/** Saving a text that somebody else may have changed. */
import t from 'tap'
import { saveText, type Version } from '../../web/common/text-edit/conflict.ts'

const outdated = Object.assign(new Error('Precondition failed'), { status: 412 })

/** A stored record: its text, and an ETag that any write changes. */
function record(value: string) {
  const state = { value, tag: 1, sent: [] as (string | undefined)[], reads: 0 }
  /** Runs before each response: changes by others. */
  const meanwhile: (() => void)[] = []
  return {
    state,
    meanwhile,
    version: (): Version => ({ value: state.value, etag: `"${state.tag}"` }),
    save(text: string, from: string, known: Version | undefined) {
      return saveText({
        text,
        from,
        known,
        read: async () => {
          state.reads++
          return this.version()
        },
        send: async (etag) => {
          meanwhile.shift()?.()
          state.sent.push(etag)
          if (etag !== `"${state.tag}"`) throw outdated
          state.value = text
          state.tag++
          return 'answered'
        },
      })
    },
  }
}

t.test('is sent with the ETag from the beginning of the edit', async (t) => {
  const title = record('Old')
  t.strictSame(await title.save('New', 'Old', title.version()), { isSaved: true, answer: 'answered' })
  t.strictSame(title.state, { value: 'New', tag: 2, sent: ['"1"'], reads: 0 })
})

t.test('is retried if another field of the record has changed', async (t) => {
  const title = record('Old')
  title.meanwhile.push(() => title.state.tag++)
  t.strictSame(await title.save('New', 'Old', title.version()), { isSaved: true, answer: 'answered' })
  t.strictSame(title.state.sent, ['"1"', '"2"'])
})

t.test('asks if somebody else has changed the text', async (t) => {
  const title = record('Old')
  title.meanwhile.push(() => Object.assign(title.state, { value: 'Theirs', tag: 2 }))
  t.strictSame(await title.save('New', 'Old', title.version()), { isSaved: false, theirs: 'Theirs' })
  t.equal(title.state.value, 'Theirs', 'which is not overwritten')
})

t.test('asks also if the known ETag is already that of their text, as for an old draft', async (t) => {
  const title = record('Theirs')
  t.strictSame(await title.save('New', 'Old', title.version()), { isSaved: false, theirs: 'Theirs' })
  t.strictSame(title.state.sent, [], 'without sending it')
})

t.test('reads first if the known record is older than the edit', async (t) => {
  const title = record('Old')
  t.strictSame(await title.save('New', 'Old', { value: 'Older', etag: '"0"' }), {
    isSaved: true,
    answer: 'answered',
  })
  t.match(title.state, { value: 'New', reads: 1, sent: ['"1"'] })
})

t.test('is saved if somebody else has written the same', async (t) => {
  const title = record('Old')
  title.meanwhile.push(() => Object.assign(title.state, { value: 'New', tag: 2 }))
  t.strictSame(await title.save('New', 'Old', title.version()), { isSaved: true })
  t.equal(title.state.sent.length, 1)
})

t.test('gives up after three retries, and at once for any other error', async (t) => {
  const title = record('Old')
  for (let write = 0; write < 10; write++) title.meanwhile.push(() => title.state.tag++)
  await t.rejects(title.save('New', 'Old', title.version()), outdated)
  t.equal(title.state.sent.length, 4)
  const refused = Object.assign(new Error('Validation failed'), { status: 400 })
  const saving = saveText({
    text: 'New',
    from: 'Old',
    known: title.version(),
    read: () => t.fail('is not read') as never,
    send: () => Promise.reject(refused),
  })
  await t.rejects(saving, refused)
})
