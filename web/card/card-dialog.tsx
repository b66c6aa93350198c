/** A card, in a dialog with an address of its own. */
import { back, paths } from '../router.ts'
import type { OpenProject } from '../shared/open-project.ts'
import { Dialog } from '../shared/ui/dialog.tsx'
import { texts } from '../texts.ts'

export default function CardDialog({ project, id }: { project: OpenProject; id: string }) {
  const item = project.store.items.get(id)
  return (
    <Dialog
      title={item?.title ?? texts.missingCard}
      onClose={() => back(paths.board(project.store.id))}
      size="wide"
    >
      {null}
    </Dialog>
  )
}
