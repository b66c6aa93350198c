/** The user's own ideas. */
import { api, type PersonalIdea } from '../common/api.ts'
import { LiveList } from '../common/live-list.ts'

export const ideaList = new LiveList<PersonalIdea>(
  () => api.get('/api/personal-ideas'),
  ({ kind }) => kind === 'personal-idea',
)
