import { Page } from '../shared/ui/page.tsx'

export default function MinePage() {
  return <Page title="My work">{null}</Page>
}
