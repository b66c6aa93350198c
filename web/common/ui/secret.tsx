/** Secrets, which the service shows only once. */
import type { ComponentChildren, VNode } from 'preact'
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
  /** Additional text about its use. */
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

interface NewSecretProps<Made> {
  /** The text of the button. */
  children: ComponentChildren
  /** The dialog that has the secret made. */
  form: (props: { onMade: (made: Made) => void; onClose: () => void }) => VNode
  secretOf: (made: Made) => Omit<Props, 'onClose'>
  /** Called when it is made. */
  onMade: () => void
}

/** A button to have a secret made, and its dialogs: the form, and then the secret. */
export function NewSecret<Made>({ children, form, secretOf, onMade }: NewSecretProps<Made>) {
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<Made | undefined>()
  const close = () => setAdding(false)
  const show = (one: Made) => {
    close()
    setMade(one)
    onMade()
  }
  return (
    <>
      <button type="button" class="button" onClick={() => setAdding(true)}>
        {children}
      </button>
      {isAdding && form({ onMade: show, onClose: close })}
      {made && <SecretDialog {...secretOf(made)} onClose={() => setMade(undefined)} />}
    </>
  )
}
