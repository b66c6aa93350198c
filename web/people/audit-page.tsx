import { Page } from '../shared/ui/page.tsx'

export default function AuditPage() {
  return <Page title="Audit">{null}</Page>
}
