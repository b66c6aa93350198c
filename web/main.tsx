/** What the browser runs first: who the user is, the stream, and the page of the address, all at once. */
import { render } from 'preact'
import { App } from './app.tsx'
import { place, routeOf, startRouter } from './router.ts'
import { drafts } from './shared/drafts.ts'
import { startKeys } from './shared/keys.ts'
import { startLive } from './shared/live.ts'
import { openProject } from './shared/open-project.ts'
import { loadPeople } from './shared/people.ts'
import { projectList } from './shared/projects.ts'
import { loadSession, signedIn, startSharing } from './shared/session.ts'
import './shared/styles/index.css'
import { failed } from './shared/toasts.ts'
import { warnBeforeLeaving } from './shared/writes.ts'

startRouter()
startKeys()
warnBeforeLeaving()
addEventListener('pagehide', () => drafts.flush())

const { page, id } = routeOf(place.peek().path)
if (page === 'board' || page === 'card') openProject(id)
if (page === 'projects') projectList.refresh()
loadSession().then(startSharing, (error) => failed(error, () => location.reload()))
void signedIn().then(() => {
  startLive()
  void loadPeople()
})

const element = document.querySelector('#app')
if (element) render(<App />, element)
