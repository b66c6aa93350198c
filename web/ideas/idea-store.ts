/** The user's own ideas. */
import { api, type PersonalIdea } from '../shared/api.ts'
import { LiveList } from '../shared/live-list.ts'

export const ideaList = new LiveList<PersonalIdea>(
  () => api.get('/api/personal-ideas'),
  ({ kind }) => kind === 'personal-idea',
)
