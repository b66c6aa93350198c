import { Page } from '../shared/ui/page.tsx'

export function ProjectsPage() {
  return <Page title="Projects">{null}</Page>
}
