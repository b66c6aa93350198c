/** Secrets, which the service shows only once. */
import { useRef, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'

/** A text to copy. If the browser forbids that, the text is selected so that the user can copy it by keyboard. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const field = useRef<HTMLInputElement>(null)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      field.current?.focus()
    }
  }
  return (
    <div class="copyable">
      <input
        ref={field}
        aria-label={label}
        dir="ltr"
        readOnly
        value={text}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <button type="button" class="button" onClick={() => void copy()} aria-label={texts.people.copy(label)}>
        <Icon name="copy" /> {isCopied ? texts.people.copied : texts.people.copyShort}
      </button>
      <span class="visually-hidden" role="status">
        {isCopied ? texts.people.copied : ''}
      </span>
    </div>
  )
}

interface Props {
  title: string
  label: string
  secret: string
  /** Additional text about who may have it. */
  note?: string | undefined
  /** Further URLs that contain the secret. */
  address?: { label: string; text: string } | undefined
  onClose: () => void
}

/** Shows a new secret until the user closes it. A click outside does not close it. */
export const SecretDialog = ({ title, label, secret, note, address, onClose }: Props) => (
  <Dialog title={title} onClose={onClose} closesOutside={false}>
    <p class="row warning">
      <Icon name="warning" /> {texts.people.once}
    </p>
    <p class="meta">{label}</p>
    <Copyable label={label} text={secret} />
    {note && <p>{note}</p>}
    {address && (
      <>
        <p class="meta">{address.label}</p>
        <Copyable label={address.label} text={address.text} />
      </>
    )}
    <div class="dialog-foot">
      <button type="button" class="button-primary" onClick={onClose}>
        {texts.people.stored}
      </button>
    </div>
  </Dialog>
)
