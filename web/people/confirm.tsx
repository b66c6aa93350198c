/** Asks before something that cannot be undone. */
import type { ComponentChildren } from 'preact'
import { Dialog } from '../common/ui/dialog.tsx'
import { Form } from '../common/ui/field.tsx'

interface Props<T> {
  title: string
  /** What the button says that does it. */
  action: string
  /** Does it. @throws what is shown in the dialog */
  run: () => Promise<T>
  /** It is done; the dialog is closed, if absent. */
  onDone?: (result: T) => void
  onClose: () => void
  /** What will happen. */
  children: ComponentChildren
}

export const Confirm = <T,>({
  title,
  action,
  run,
  onDone = () => onClose(),
  onClose,
  children,
}: Props<T>) => (
  <Dialog title={title} onClose={onClose}>
    <Form send={() => run().then(onDone)} submit={action} onCancel={onClose} isDanger>
      <div class="stack">{children}</div>
    </Form>
  </Dialog>
)
