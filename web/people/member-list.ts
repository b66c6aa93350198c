/** The members, for admins. */
import { api, type Member } from '../common/api.ts'
import { LiveList } from '../common/live-list.ts'

export const memberList = new LiveList<Member>(
  () => api.get('/api/members'),
  ({ kind }) => kind === 'member',
)
