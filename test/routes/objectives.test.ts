import t from 'tap'
import { testChildResource } from '../child-resource.ts'
import { number, text } from '../field-contracts.ts'

testChildResource(t, {
  thing: 'Objective',
  path: 'objectives',
  table: 'objectives',
  relation: 'objectives',
  least: { title: 'Land' },
  defaults: { title: 'Land', description: '', status: 'not-started', sortOrder: 0 },
  fields: {
    title: text(1, 500),
    description: text(0, 100_000),
    status: text(1, 100),
    sortOrder: number,
  },
})
