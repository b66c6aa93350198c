/** Signing in again, above the page as it is: nothing that was typed is lost. */
import { Dialog } from '../shared/ui/dialog.tsx'
import { texts } from '../texts.ts'
import { SignInForm } from './sign-in-form.tsx'

export default function SignInDialog() {
  return (
    <Dialog title={texts.signIn.title} onClose={() => undefined} closesOutside={false}>
      <p role="status">{texts.signIn.ended}</p>
      <SignInForm onDone={() => undefined} />
    </Dialog>
  )
}
