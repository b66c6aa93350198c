import { Page } from '../shared/ui/page.tsx'

export function BoardPage(_: { id: string; item: string }) {
  return <Page title="Board">{null}</Page>
}
