import fc from 'fast-check'
import t from 'tap'
import { testChildResource } from '../child-resource.ts'
import { jsonArray, number, same, text } from '../field-contracts.ts'
import { type App, age, build, createProject, LONG_AGO, send, stored } from '../helper.ts'
import { sameLarge } from '../large-values.ts'
import { rounds, steady } from '../rounds.ts'

testChildResource(t, {
  thing: 'Metric',
  path: 'metrics',
  table: 'metrics',
  relation: 'metrics',
  least: { name: 'Velocity', value: 3.5 },
  defaults: { name: 'Velocity', value: 3.5, unit: '', category: '', trend: 'stable', history: [] },
  fields: {
    name: text(1, 200),
    value: {
      ...number,
      accepts: [...number.accepts, ...same(3.5)],
      brings: ({ value: old }, { value, updatedAt }) =>
        value === old
          ? {}
          : { history: [{ value: old, at: updatedAt }], trend: Number(value) > Number(old) ? 'up' : 'down' },
    },
    unit: text(0, 100),
    category: text(0, 100),
    trend: text(1, 100),
    history: jsonArray([
      [{ value: 1, at: LONG_AGO }],
      ['anything', null, { nested: [{}] }],
      Array.from({ length: 501 }, (_, index) => index),
    ]),
  },
})

/** An application with one metric. */
async function metricOf(t: Parameters<typeof build>[0], fields: object = {}) {
  const app = await build(t)
  const project = await createProject(app)
  const list = `/api/projects/${project.id}/metrics`
  const { body: metric } = await send(app, 'POST', list, { name: 'Velocity', value: 1, ...fields })
  return { app, project, list, metric, url: `/api/metrics/${metric.id}` }
}

const patch = async (app: App, url: string, body: object) => {
  const answer = await send(app, 'PATCH', url, body)
  if (answer.status !== 200) throw new Error(`not changed: ${JSON.stringify(answer.body)}`)
  return answer.body
}

t.test('a changed value is added to the history and sets the trend', async (t) => {
  const { app, project, metric, url } = await metricOf(t)
  const up = await patch(app, url, { value: 2.5 })
  t.strictSame(up, {
    ...metric,
    value: 2.5,
    trend: 'up',
    history: [{ value: 1, at: up.updatedAt }],
    updatedAt: up.updatedAt,
  })
  const down = await patch(app, url, { value: -4, unit: '%' })
  t.strictSame(down, {
    ...up,
    value: -4,
    unit: '%',
    trend: 'down',
    history: [...up.history, { value: 2.5, at: down.updatedAt }],
    updatedAt: down.updatedAt,
  })
  t.equal(stored(app, 'metrics', metric.id).history, JSON.stringify(down.history))
  t.strictSame((await send(app, 'GET', `/api/projects/${project.id}`)).body.metrics, [down], 'shown at once')
})

t.test('an equal value adds nothing and keeps the trend', async (t) => {
  const { app, metric, url } = await metricOf(t, { trend: 'up', value: 0 })
  for (const body of [{ value: 0 }, { value: -0 }, { value: 0, unit: 'd' }, { name: 'Speed' }]) {
    age(app, 'metrics', metric.id)
    const { history, trend, updatedAt } = await patch(app, url, body)
    t.strictSame([history, trend], [[], 'up'])
    t.not(updatedAt, LONG_AGO)
  }
  await patch(app, url, { value: 1, trend: 'stable' })
  t.equal((await patch(app, url, { value: 1 })).trend, 'stable')
})

t.test('a history and a trend in the body replace those of the metric', async (t) => {
  const { app, url } = await metricOf(t)
  const first = await patch(app, url, { value: 2, trend: 'volatile' })
  t.strictSame([first.trend, first.history.length], ['volatile', 1], 'the history still grows')
  const second = await patch(app, url, { value: 1, history: ['mine'] })
  t.strictSame([second.trend, second.history], ['down', ['mine']], 'the trend still follows')
  const third = await patch(app, url, { value: 5, history: '', trend: 'down' })
  t.strictSame([third.trend, third.history], ['down', []])
  const fourth = await patch(app, url, { value: 5, history: '[1]' })
  t.strictSame([fourth.trend, fourth.history], ['down', [1]])
})

t.test('an invalid history of another tool starts again', async (t) => {
  for (const text of ['', null, '{oops', '{}']) {
    const { app, metric, url } = await metricOf(t)
    app.db.$client.prepare('update metrics set history = ?').run(text)
    const { history, updatedAt } = await patch(app, url, { value: 2 })
    t.strictSame(history, [{ value: metric.value, at: updatedAt }])
  }
})

interface Model {
  value: number
  trend: string
  history: unknown[]
}

/** The metric after a PATCH, by the contract. */
function expected(model: Model, body: Partial<Model>, at: string): Model {
  const after = { ...model, ...body }
  if (after.value === model.value) return after
  const direction = after.value > model.value ? 'up' : 'down'
  const history = [...model.history, { value: model.value, at }]
  while (history.length > 500) history.shift()
  return { value: after.value, trend: body.trend ?? direction, history: body.history ?? history }
}

t.test('after any changes, history and trend follow the rule', async (t) => {
  const { app, list } = await metricOf(t)
  const value = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
  const history = fc
    .oneof(fc.nat(3), fc.integer({ min: 497, max: 503 }))
    .map((length) => Array.from({ length }, (_, index) => index))
  const change = fc.record(
    { value, trend: fc.constantFrom('up', 'down', 'stable', 'odd'), unit: fc.constantFrom('%', 'd') },
    { requiredKeys: [] },
  )
  const withHistory = fc.tuple(change, history).map(([body, history]) => ({ ...body, history }))
  const changes = fc.array(
    fc.oneof({ weight: 4, arbitrary: change }, { weight: 1, arbitrary: withHistory }),
    { minLength: 1, maxLength: 12 },
  )
  let trimmed = 0
  await fc.assert(
    fc.asyncProperty(value, changes, async (first, bodies) => {
      const { body: metric } = await send(app, 'POST', list, { name: 'x', value: first })
      let model: Model = { value: metric.value, trend: 'stable', history: [] }
      for (const drawn of bodies) {
        const body = JSON.parse(JSON.stringify(drawn))
        const answer = await patch(app, `/api/metrics/${metric.id}`, body)
        const { unit: _, ...known } = body
        if (body.history === undefined && model.history.length >= 500) trimmed++
        model = expected(model, known, answer.updatedAt)
        const { value, trend, history } = answer
        sameLarge(t, { value, trend, history }, model, JSON.stringify(body).slice(0, 80))
      }
    }),
    { numRuns: rounds(15), ...steady },
  )
  t.ok(trimmed > 0, `${trimmed} changes met a full history`)
})

t.test('the history keeps the last 500 values', async (t) => {
  const { app, metric, url } = await metricOf(t, { value: 0 })
  const { metrics } = app.rules.projects
  for (let value = 1; value <= 501; value++) metrics.update(metric.id, { value })
  const { history } = (await send(app, 'GET', url)).body
  t.equal(history.length, 500)
  t.strictSame([history[0].value, history[499].value], [1, 500])
  t.strictSame(history, metrics.get(metric.id).history)
})
