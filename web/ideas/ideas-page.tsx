import { Page } from '../shared/ui/page.tsx'

export default function IdeasPage() {
  return <Page title="Ideas">{null}</Page>
}
