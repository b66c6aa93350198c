import { Page } from '../shared/ui/page.tsx'

export default function WebhooksPage() {
  return <Page title="Webhooks">{null}</Page>
}
