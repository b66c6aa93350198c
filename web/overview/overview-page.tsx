import { Page } from '../shared/ui/page.tsx'

export default function OverviewPage(_: { id: string }) {
  return <Page title="Overview">{null}</Page>
}
