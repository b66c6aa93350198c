import t from 'tap'
import { testChildResource } from '../child-resource.ts'
import { jsonArray, ofOtherTypes, text } from '../field-contracts.ts'
import { build, createProject, send, stored } from '../helper.ts'

const notADate = 'must be an ISO 8601 date-time or a plain date'
const DATE = '2026-01-31T00:00:00.000Z'

testChildResource(t, {
  thing: 'Transcript summary',
  path: 'transcript-summaries',
  table: 'transcript_summaries',
  relation: 'transcriptSummaries',
  least: { title: 'Kick-off', date: DATE },
  defaults: {
    title: 'Kick-off',
    date: DATE,
    summary: '',
    participants: [],
    actionItems: [],
    sourceFile: '',
  },
  fields: {
    title: text(1, 500),
    date: {
      accepts: [
        [DATE, DATE],
        ['2026-01-31', DATE],
        ['2026-01-31T18:00:00+01:00', '2026-01-31T17:00:00.000Z'],
        ['2028-02-29T23:59:59.999Z', '2028-02-29T23:59:59.999Z'],
      ],
      refuses: [
        ...ofOtherTypes('string'),
        ...['', 'tomorrow', '2026-02-30', '2026-01-31T10', ' 2026-01-31', '1769817600'].map(
          (value): [string, string] => [value, notADate],
        ),
      ],
    },
    summary: text(0, 100_000),
    participants: jsonArray(
      [
        ['Ada', ''],
        ['Ada', 'Ada'],
      ],
      [
        [[1], '[0] must be string'],
        [['Ada', null], '[1] must be string'],
        [[['Ada']], '[0] must be string'],
        [[{ name: 'Ada' }], '[0] must be string'],
      ],
    ),
    actionItems: jsonArray(
      [
        ['Send the minutes', ''],
        [{ what: 'Book a room', who: { name: 'Ada' }, tags: [1, null] }, 'and go', {}],
      ],
      [
        [[1], '[0] must be string or object'],
        [['x', null], '[1] must be string or object'],
        [[['x']], '[0] must be string or object'],
        [[{}, true], '[1] must be string or object'],
      ],
    ),
    sourceFile: text(0, 500),
  },
})

t.test('the arrays are stored as JSON text, and missing ones of other tools read as empty', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const fields = { participants: '["Ada"]', actionItems: [{ what: 'Ä' }, 'Go'] }
  const { body } = await send(app, 'POST', `/api/projects/${id}/transcript-summaries`, {
    title: 'Kick-off',
    date: '2026-01-31',
    ...fields,
  })
  const row = stored(app, 'transcript_summaries', body.id)
  t.strictSame([row.date, row.participants, row.action_items], [DATE, '["Ada"]', '[{"what":"Ä"},"Go"]'])
  for (const text of ['', null, '{oops', '{}']) {
    app.db.$client
      .prepare('update transcript_summaries set participants = ?, action_items = ?')
      .run(text, text)
    const answer = await send(app, 'GET', `/api/transcript-summaries/${body.id}`)
    t.strictSame([answer.body.participants, answer.body.actionItems], [[], []], `${text}`)
  }
})
