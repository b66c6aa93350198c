/**
 * The dialog to sign in again, above the current page. No typed text is lost, and the waiting writes continue afterwards. It
 * can be hidden, and returns when something needs the session.
 */
import { useEffect, useState } from 'preact/hooks'
import { enterAgain, isAsked, isOpenToAll } from '../common/session.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { place } from '../router.ts'
import { texts } from '../texts.ts'
import { SignInForm } from './sign-in-form.tsx'

export default function SignInDialog() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    void isOpenToAll().then(setOpen)
    // The user may have signed in in another tab.
    const look = () => {
      if (document.visibilityState === 'visible') void enterAgain()
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  const { path, query } = place.value
  if (!isAsked.value) return null
  const hide = () => {
    isAsked.value = false
  }
  return (
    <Dialog title={texts.signIn.title} onClose={hide} closesOutside={false}>
      <p role="status">{texts.signIn.ended}</p>
      <SignInForm to={`${path}?${query}`} inNewTab onDone={() => undefined} />
      {isOpen && (
        <button type="button" class="button-link" onClick={() => location.reload()}>
          {texts.signIn.asGuest}
        </button>
      )}
    </Dialog>
  )
}
