/** Asks before something that cannot be undone. */
import type { ComponentChildren } from 'preact'
import { Dialog } from '../shared/ui/dialog.tsx'
import { Form } from '../shared/ui/field.tsx'

interface Props {
  title: string
  /** What the button says that does it. */
  action: string
  /** Does it. @throws what is shown in the dialog */
  run: () => Promise<unknown>
  onClose: () => void
  /** What will happen. */
  children: ComponentChildren
}

export const Confirm = ({ title, action, run, onClose, children }: Props) => (
  <Dialog title={title} onClose={onClose}>
    <Form send={() => run().then(onClose)} submit={action} onCancel={onClose} isDanger>
      <div class="stack">{children}</div>
    </Form>
  </Dialog>
)
