import { Page } from '../shared/ui/page.tsx'

export default function SearchPage() {
  return <Page title="Search">{null}</Page>
}
