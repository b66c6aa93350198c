import { Page } from '../shared/ui/page.tsx'

export default function AccountPage() {
  return <Page title="Account">{null}</Page>
}
