/** The entry point. It loads the user, the stream and the current page, all at once. */
import { render } from 'preact'
import { App, loadProjects } from './app.tsx'
import { followDay } from './common/dates.ts'
import { drafts } from './common/drafts.ts'
import { startKeys } from './common/keys.ts'
import { showLanguage } from './common/language.ts'
import { startLive } from './common/live.ts'
import { openProject } from './common/open-project.ts'
import { followPeople } from './common/people.ts'
import { projectList } from './common/projects.ts'
import { followRights } from './common/rights.ts'
import { openSession, signedIn, startSharing } from './common/session.ts'
import { followTeams } from './common/teams.ts'
import { followTheme } from './common/theme.ts'
import { place, routeOf, startRouter } from './router.ts'
import './common/styles/index.css'
import { resumeAndSay } from './common/resume.ts'
import { warnBeforeLeaving } from './common/writes.ts'

showLanguage()
followTheme()
startRouter()
startKeys()
followDay()
warnBeforeLeaving()
addEventListener('pagehide', () => drafts.flush())

const { page, id } = routeOf(place.peek().path)
if (page === 'board' || page === 'card') openProject(id)
if (page === 'projects') {
  projectList.refresh()
  // If that fails, it is loaded again when it is shown.
  void loadProjects().catch(() => undefined)
}
// The reader of a shared board is not a user.
if (page !== 'shared') {
  void openSession().then(startSharing)
  void signedIn().then(() => {
    void resumeAndSay()
    startLive()
    followPeople()
    followRights()
    followTeams()
  })
}

const element = document.querySelector('#app')
if (element) render(<App />, element)
