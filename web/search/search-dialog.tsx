import { Dialog } from '../shared/ui/dialog.tsx'
import { texts } from '../texts.ts'

export default function SearchDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={texts.search} onClose={onClose}>
      {null}
    </Dialog>
  )
}
