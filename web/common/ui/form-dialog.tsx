/** A dialog with a form. A click outside does not close it, since it would hide typed text. */
import { Dialog } from './dialog.tsx'
import { Form, type FormProps } from './field.tsx'

interface FormDialogProps extends Omit<FormProps, 'onCancel'> {
  title: string
  onClose: () => void
}

export const FormDialog = ({ title, onClose, ...form }: FormDialogProps) => (
  <Dialog title={title} onClose={onClose} closesOutside={false}>
    <Form onCancel={onClose} {...form} />
  </Dialog>
)
