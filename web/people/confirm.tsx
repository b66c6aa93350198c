/** Asks for confirmation before an action that cannot be undone. */
import type { ComponentChildren } from 'preact'
import { Dialog } from '../common/ui/dialog.tsx'
import { Form } from '../common/ui/field.tsx'

interface Props<T> {
  title: string
  /** The label of the button that confirms. */
  action: string
  /** Performs the action. @throws an error that the dialog shows */
  run: () => Promise<T>
  /** Called afterwards; closes the dialog by default. */
  onDone?: (result: T) => void
  onClose: () => void
  /** A description of what will happen. */
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
