import t from 'tap'
import {
  activityOf,
  ageItems,
  boardOn,
  boardWith,
  columnNamed,
  columnNames,
  createCards,
  everything,
  itemsOf,
  limit,
  placeBehindItsBack,
  titlesIn,
} from '../boards.ts'
import { age, createItem, holds, invalid, LONG_AGO, type Row, send, signInAs } from '../helper.ts'

const taken = { error: 'Kanban column name is taken' }
const hasItems = { error: 'Kanban column still has items' }
const isFull = { error: 'Column is at its WIP limit' }
const noTarget = invalid({ moveTo: ['must be the name of another column of the project'] })
const success = { success: true }
const urlOf = (id: string, moveTo?: string) =>
  `/api/kanban-columns/${id}${moveTo === undefined ? '' : `?moveTo=${encodeURIComponent(moveTo)}`}`

t.test('renaming a column', async (t) => {
  t.test('changes the column of its items, dismissed ones too, without activity', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abc')
    await send(app, 'PATCH', `/api/kanban-items/${ids.b}`, { dismissed: true })
    await createCards(app, projectId, 'x', { column: 'Review' })
    const other = await boardOn(app, 'z')
    ageItems(app)
    const before = await itemsOf(app, projectId)
    const { id } = await columnNamed(app, projectId, 'To Do')
    const name = 'Größer ? 無'
    const { status, body } = await send(app, 'PATCH', urlOf(id), { name })
    t.strictSame([status, body.name], [200, name])
    const { updatedAt } = body
    t.strictSame(
      await itemsOf(app, projectId),
      before.map((item) => (item.column === 'To Do' ? { ...item, column: name, updatedAt } : item)),
    )
    t.not(updatedAt, LONG_AGO)
    for (const itemId of Object.values(ids)) t.strictSame(activityOf(app, itemId), [])
    t.equal(
      (await itemsOf(app, other.projectId))[0]?.column,
      'To Do',
      "another project's stay where they are",
    )
    t.strictSame(await columnNames(app, projectId), [name, 'In Progress', 'Review', 'Done'])
    t.equal((await createItem(app, projectId)).column, 'To Do')
    t.equal((await columnNames(app, projectId)).at(-2), 'To Do', 'which is a new column')
  })

  t.test('to its own name has no effect', async (t) => {
    const { app, projectId } = await boardWith(t, 'ab')
    const { id } = await columnNamed(app, projectId, 'To Do')
    age(app, 'kanban_columns', id)
    const before = await itemsOf(app, projectId)
    const { status, body } = await send(app, 'PATCH', urlOf(id), { name: 'To Do', color: 'red' })
    t.strictSame([status, body.name, body.color], [200, 'To Do', 'red'])
    t.strictSame(await itemsOf(app, projectId), before, 'the items are left alone')
  })

  t.test('to an existing name is 409, and changes nothing', async (t) => {
    const { app, projectId } = await boardWith(t, 'a')
    const { id } = await columnNamed(app, projectId, 'To Do')
    const other = await boardOn(app, 'z')
    await createItem(app, other.projectId, { column: 'Only there' })
    const before = everything(app)
    await holds(t, app, [
      ['PATCH', urlOf(id), { name: 'Done', color: 'red' }, 409, taken],
      ['PATCH', urlOf(id), { name: 'Review' }, 409, taken],
    ])
    t.strictSame(everything(app), before)
    await holds(t, app, [
      ['PATCH', urlOf(id), { name: 'done' }, 200, { name: 'done' }],
      ['PATCH', urlOf(id), { name: 'To Do' }, 200, { name: 'To Do' }],
      ['PATCH', urlOf(id), { name: 'Only there' }, 200, { name: 'Only there' }],
    ])
    t.equal(await titlesIn(app, projectId, 'Only there'), 'a')
  })

  t.test('checks no limit, since no item is added', async (t) => {
    const { app, projectId } = await boardWith(t, 'abc')
    const { id } = await columnNamed(app, projectId, 'To Do')
    const change = { name: 'Small', wipLimit: 1, wipPolicy: 'block' }
    await holds(t, app, [['PATCH', urlOf(id), change, 200, change]])
    t.equal(await titlesIn(app, projectId, 'Small'), 'abc')
  })

  t.test('is all or nothing', async (t) => {
    const { app, projectId } = await boardWith(t, 'ab')
    const { id } = await columnNamed(app, projectId, 'To Do')
    app.db.$client.exec(
      "create trigger full before update on kanban_columns begin select raise(abort, 'full'); end",
    )
    const before = everything(app)
    const failure = { error: 'Failed to update kanban column' }
    await holds(t, app, [['PATCH', urlOf(id), { name: 'New' }, 500, failure]])
    t.strictSame(everything(app), before)
  })
})

t.test('deleting a column', async (t) => {
  t.test('without items needs no body', async (t) => {
    const { app, projectId } = await boardWith(t, 'a')
    const { projectId: otherId } = await boardOn(app, 'z')
    await createCards(app, otherId, 'y', { column: 'Review' })
    const { id } = await columnNamed(app, projectId, 'Review')
    await holds(t, app, [
      ['DELETE', urlOf(id), 200, success],
      ['DELETE', urlOf(id), 404, { error: 'Kanban column not found' }],
    ])
    t.strictSame(await columnNames(app, projectId), ['To Do', 'In Progress', 'Done'])
    t.equal(await titlesIn(app, otherId, 'Review'), 'y')
    const { id: done } = await columnNamed(app, projectId, 'Done')
    await holds(t, app, [['DELETE', urlOf(done, 'To Do'), 200, success]])
    t.equal(await titlesIn(app, projectId), 'a')
  })

  t.test('that still has items, dismissed ones too, is 409', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'a')
    const { id } = await columnNamed(app, projectId, 'To Do')
    await holds(t, app, [['DELETE', urlOf(id), 409, hasItems]])
    await send(app, 'PATCH', `/api/kanban-items/${ids.a}`, { dismissed: true })
    const before = everything(app)
    await holds(t, app, [['DELETE', urlOf(id), 409, hasItems]])
    t.strictSame(everything(app), before)
  })

  t.test('needs moveTo to be another column of the project, with or without items', async (t) => {
    const { app, projectId } = await boardWith(t, 'a')
    const other = await boardOn(app, 'z')
    await createItem(app, other.projectId, { column: 'Only there' })
    const full = await columnNamed(app, projectId, 'To Do')
    const empty = await columnNamed(app, projectId, 'Review')
    const { id: doneId } = await columnNamed(app, projectId, 'Done')
    const before = everything(app)
    for (const { id, name } of [full, empty]) {
      await holds(
        t,
        app,
        ['none', '', name, 'Only there', 'done', 'Done ', doneId, '%'].map((moveTo): Row => {
          return ['DELETE', urlOf(id, moveTo), 400, noTarget]
        }),
      )
    }
    const twice = `${urlOf(full.id)}?moveTo=Done&moveTo=Review`
    const notOne = invalid({ moveTo: ['must be string'] })
    await holds(t, app, [
      ['DELETE', twice, 400, notOne],
      ['DELETE', '/api/kanban-columns/none?moveTo=a&moveTo=b', 400, notOne],
      ['DELETE', urlOf('none', 'none'), 404, { error: 'Kanban column not found' }],
    ])
    t.strictSame(everything(app), before)
  })

  t.test('moves its items to the end of the other one, in order, dismissed ones too', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abcd')
    placeBehindItsBack(app, ids, [9, 7, 8, 7])
    await send(app, 'PATCH', `/api/kanban-items/${ids.c}`, { dismissed: true })
    const there = await createCards(app, projectId, 'xy', { column: 'Größer ? & 無' })
    const elsewhere = await createCards(app, projectId, 'e', { column: 'Done' })
    ageItems(app)
    const { headers, id: member } = signInAs(app, 'member')
    const { id } = await columnNamed(app, projectId, 'To Do')
    await holds(t, app, [['DELETE', urlOf(id, 'Größer ? & 無'), undefined, headers, 200, success]])
    t.equal(await titlesIn(app, projectId, 'Größer ? & 無'), 'xybdca')
    const items = new Map((await itemsOf(app, projectId)).map((item) => [item.title, item]))
    t.strictSame(
      [...'bdca'].map((title) => items.get(title)?.sortOrder),
      [3, 4, 5, 6],
    )
    t.ok([...'abcd'].every((title) => items.get(title)?.updatedAt !== LONG_AGO))
    t.ok([...'xye'].every((title) => items.get(title)?.updatedAt === LONG_AGO))
    t.equal(items.get('c')?.dismissed, true)
    for (const itemId of Object.values(ids)) {
      t.strictSame(activityOf(app, itemId), [['status_change', 'To Do', 'Größer ? & 無', member]])
    }
    for (const itemId of [...Object.values(there), ...Object.values(elsewhere)]) {
      t.strictSame(activityOf(app, itemId), [])
    }
    t.strictSame(await columnNames(app, projectId), ['In Progress', 'Review', 'Größer ? & 無', 'Done'])
  })

  t.test('also after the largest possible number', async (t) => {
    const { app, projectId } = await boardWith(t, 'abc')
    const { x } = await createCards(app, projectId, 'x', { column: 'Done' })
    placeBehindItsBack(app, { x: String(x) }, Number.MAX_VALUE)
    const { id } = await columnNamed(app, projectId, 'To Do')
    await holds(t, app, [['DELETE', urlOf(id, 'Done'), 200, success]])
    t.equal(await titlesIn(app, projectId, 'Done'), 'xabc')
  })

  t.test('checks the limit of the other one', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abc')
    await createCards(app, projectId, 'x', { column: 'Review' })
    const { id } = await columnNamed(app, projectId, 'To Do')
    await limit(app, projectId, 'Review', 3)
    const before = everything(app)
    await holds(t, app, [['DELETE', urlOf(id, 'Review'), 409, isFull]])
    t.strictSame(everything(app), before, 'nothing has changed')
    await send(app, 'PATCH', `/api/kanban-items/${ids.b}`, { dismissed: true })
    await holds(t, app, [['DELETE', urlOf(id, 'Review'), 200, success]])
    t.equal(await titlesIn(app, projectId, 'Review'), 'xabc', 'exactly at the limit it passes')
    await limit(app, projectId, 'Done', 1, 'warn')
    const review = await columnNamed(app, projectId, 'Review')
    await holds(t, app, [['DELETE', urlOf(review.id, 'Done'), 200, success]])
    t.equal(await titlesIn(app, projectId, 'Done'), 'xabc', 'a column that only warns takes them')
  })

  t.test('with only dismissed items ignores the limit', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'a')
    await createCards(app, projectId, 'x', { column: 'Review' })
    await limit(app, projectId, 'Review', 1)
    await send(app, 'PATCH', `/api/kanban-items/${ids.a}`, { dismissed: true })
    const { id } = await columnNamed(app, projectId, 'To Do')
    await holds(t, app, [['DELETE', urlOf(id, 'Review'), 200, success]])
    t.equal(await titlesIn(app, projectId, 'Review'), 'xa')
  })

  t.test('is all or nothing', async (t) => {
    const { app, projectId } = await boardWith(t, 'abc')
    const { id } = await columnNamed(app, projectId, 'To Do')
    app.db.$client.exec(
      "create trigger full before delete on kanban_columns begin select raise(abort, 'full'); end",
    )
    const before = everything(app)
    const failure = { error: 'Failed to delete kanban column' }
    await holds(t, app, [['DELETE', urlOf(id, 'Done'), 500, failure]])
    t.strictSame(everything(app), before)
  })

  t.test('the last one leaves a board that creates columns when needed', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    for (const name of await columnNames(app, projectId)) {
      const { id } = await columnNamed(app, projectId, name)
      await holds(t, app, [['DELETE', urlOf(id), 200, success]])
    }
    t.strictSame(await columnNames(app, projectId), [])
    await createItem(app, projectId)
    t.strictSame(await columnNames(app, projectId), ['To Do'])
  })
})
