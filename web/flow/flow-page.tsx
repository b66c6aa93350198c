import { Page } from '../shared/ui/page.tsx'

export default function FlowPage(_: { id: string }) {
  return <Page title="Flow">{null}</Page>
}
