import { Page } from '../shared/ui/page.tsx'

export default function MembersPage() {
  return <Page title="Members">{null}</Page>
}
