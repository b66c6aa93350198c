/** Forms: labelled fields with their errors, and the buttons below them. */
import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { atMoment, atTime, today } from '../dates.ts'
import { drafts } from '../drafts.ts'
import {
  type ChangedField,
  changedIn,
  type FormValues,
  isLost,
  NO_PROBLEMS,
  type Problems,
  problemsOf,
  valuesOf,
} from '../forms.ts'

interface FormState {
  id: string
  problems: Problems
  /** The fields that the form's draft changes. */
  kept: Readonly<Record<string, ChangedField>>
}

const FormContext = createContext<FormState>({ id: '', problems: NO_PROBLEMS, kept: {} })

/** When a draft was changed: a time, with the date unless it is today. */
const shownTime = (at: number) => (today(new Date(at)) === today() ? atTime(at) : atMoment(at))

/** The values of a form, except passwords. */
function openValues(form: HTMLFormElement): FormValues {
  const secrets = [...form.querySelectorAll<HTMLInputElement>('[type=password]')].map(({ name }) => name)
  return valuesOf([...new FormData(form)].filter(([name]) => !secrets.includes(name)))
}

export interface FormProps {
  /** Sends the values. @throws an error that is shown at the fields, or below them */
  send: (fields: FormData) => Promise<unknown>
  /** The label of the submit button. */
  submit: string
  onCancel?: () => void
  /**
   * The name of the draft that stores the typed values until they are sent, except passwords: `member:<id>`, or `member:new`
   * for a new record.
   */
  draft?: string
  isDanger?: boolean
  children?: ComponentChildren
}

/** The fields and buttons of a form. After a failure, errors show at their fields, and the first of them takes the focus. */
export function Form({ send, submit, onCancel, draft, isDanger = false, children }: FormProps) {
  const id = useId()
  const element = useRef<HTMLFormElement>(null)
  const [problems, setProblems] = useState(NO_PROBLEMS)
  const [isBusy, setBusy] = useState(false)
  const [round, setRound] = useState(0)
  const [kept, setKept] = useState(() => (draft === undefined ? undefined : drafts.read(draft)))
  const changed = changedIn(kept)
  /** The values at the start of editing, also of fields that the draft changes. */
  const start = useRef<FormValues>({})
  const begin = () => {
    if (element.current) start.current = openValues(element.current)
  }
  useLayoutEffect(() => {
    begin()
    const earlier = Object.entries(changed).map(([name, { from }]) => [name, from])
    start.current = { ...start.current, ...Object.fromEntries(earlier) }
  }, [round])
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problems])

  const submitForm = async (form: HTMLFormElement) => {
    if (isBusy) return
    setBusy(true)
    setProblems(NO_PROBLEMS)
    try {
      await send(new FormData(form))
      if (draft !== undefined) drafts.remove(draft)
      setKept(undefined)
      begin()
    } catch (error) {
      const names = [...form.elements].map((field) => field.getAttribute('name') ?? '').filter(Boolean)
      setProblems(problemsOf(error, names))
    } finally {
      setBusy(false)
    }
  }
  const keep = (form: HTMLFormElement) => {
    if (draft === undefined) return
    // Nobody else changes what is new, so all of it is restored, e.g. the date of yesterday's meeting.
    const initial = /:new(:|$)/.test(draft) ? {} : start.current
    const [text, from] = [JSON.stringify(openValues(form)), JSON.stringify(initial)]
    if (text === from) drafts.remove(draft)
    else drafts.keep(draft, { text, from })
  }
  const discard = () => {
    if (draft !== undefined) drafts.remove(draft)
    setKept(undefined)
    setRound(round + 1)
  }

  return (
    <FormContext.Provider value={{ id, problems, kept: changed }}>
      <form
        key={round}
        ref={element}
        class="stack"
        onInput={({ currentTarget }) => keep(currentTarget)}
        onSubmit={(event) => {
          event.preventDefault()
          void submitForm(event.currentTarget)
        }}
      >
        {kept && (
          <p class="row meta" role="status">
            {texts.kept(shownTime(kept.at))}
            <button type="button" class="button-link" onClick={discard}>
              {texts.discard}
            </button>
          </p>
        )}
        {children}
        {problems.whole && (
          <p id={`${id}-whole`} class="field-error" role="alert" dir="auto">
            {problems.whole}
          </p>
        )}
        <div class="dialog-foot">
          {onCancel && (
            <button type="button" class="button" onClick={onCancel}>
              {texts.cancel}
            </button>
          )}
          <button
            type="submit"
            class={isDanger ? 'button danger' : 'button-primary'}
            aria-disabled={isBusy || undefined}
          >
            {submit}
          </button>
        </div>
      </form>
    </FormContext.Provider>
  )
}

export interface Common {
  /** The service's name of the field, which its validation errors use. */
  name: string
  label: string
  /** A hint below the field. */
  hint?: string | undefined
}

/** The attributes of a field's control, its value in the draft, and the text below it. @param value the initial value */
export function useField(name: string, hint: string | undefined, value = '') {
  const { id, problems, kept } = useContext(FormContext)
  const own = `${id}-${name}`
  const changed = kept[name]
  const lost = changed && isLost(changed, value) ? texts.changedMeanwhile(value) : undefined
  const error = problems.fields[name] ?? lost
  const described = [
    hint && `${own}-hint`,
    error && `${own}-error`,
    problems.whole !== undefined && `${id}-whole`,
  ].filter(Boolean)
  return {
    kept: changed?.now[0],
    control: {
      id: own,
      name,
      'aria-invalid': error === undefined ? undefined : ('true' as const),
      'aria-describedby': described.join(' ') || undefined,
    },
    notes: (
      <>
        {hint && (
          <p id={`${own}-hint`} class="meta">
            {hint}
          </p>
        )}
        {error && (
          <p id={`${own}-error`} class="field-error" role="alert">
            {error}
          </p>
        )}
      </>
    ),
  }
}

interface InputProps extends Common {
  /** The initial value. */
  value?: string | undefined
  type?: 'text' | 'email' | 'password' | 'url' | 'number'
  required?: boolean
  autofocus?: boolean
  autocomplete?: string
  minLength?: number
  maxLength?: number
  min?: string | number
  step?: string | number
  list?: string
}

/** A field of one line. */
export function Field({ name, label, hint, value, ...rest }: InputProps) {
  const { control, notes, kept } = useField(name, hint, value)
  // Preact has a separate type for each `type`. This covers all.
  const attributes = {
    dir: 'auto',
    ...rest,
    ...control,
    defaultValue: kept ?? value,
  } as JSX.IntrinsicElements['input']
  return (
    <div class="field">
      <label for={control.id}>{label}</label>
      <input {...attributes} />
      {notes}
    </div>
  )
}

interface AreaProps extends Common {
  /** The initial value. */
  value?: string | undefined
  required?: boolean
  autofocus?: boolean
  maxLength?: number
}

/** A field of several lines. */
export function Area({ name, label, hint, value, ...rest }: AreaProps) {
  const { control, notes, kept } = useField(name, hint, value)
  return (
    <div class="field">
      <label for={control.id}>{label}</label>
      <textarea dir="auto" {...rest} {...control} defaultValue={kept ?? value} />
      {notes}
    </div>
  )
}

type ChoiceProps = Common & {
  /** The initial value. */
  value?: string | undefined
  /** The options, each with its value and label. */
  options: readonly (readonly [value: string, label: string])[]
}

/** A select. A value that is not an option is added as one, because vocabularies are open. */
export function Choice({ name, label, hint, value = '', options }: ChoiceProps) {
  const { control, notes, kept } = useField(name, hint, value)
  const chosen = kept ?? value
  const all = options.some(([one]) => one === chosen) ? options : [...options, [chosen, chosen] as const]
  return (
    <div class="field">
      <label for={control.id}>{label}</label>
      <select {...control}>
        {all.map(([one, text]) => (
          <option key={one} value={one} selected={one === chosen}>
            {text}
          </option>
        ))}
      </select>
      {notes}
    </div>
  )
}

/** A checkbox. @param value the value that is sent if it is checked */
export function Check({
  name,
  label,
  value = 'true',
  isTicked = false,
}: Omit<Common, 'hint'> & { value?: string; isTicked?: boolean }) {
  const changed = useContext(FormContext).kept[name]
  return (
    <label class="row">
      <input
        type="checkbox"
        name={name}
        value={value}
        defaultChecked={changed ? changed.now.includes(value) : isTicked}
      />
      <span dir="auto">{label}</span>
    </label>
  )
}
