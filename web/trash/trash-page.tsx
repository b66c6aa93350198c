import { Page } from '../shared/ui/page.tsx'

export default function TrashPage(_: { id?: string }) {
  return <Page title="Trash">{null}</Page>
}
