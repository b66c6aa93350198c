import { Page } from '../shared/ui/page.tsx'

export default function TeamsPage() {
  return <Page title="Teams">{null}</Page>
}
