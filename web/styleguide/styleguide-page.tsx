/** Every part of `common/ui`, and the scales of type, space and colour. For development only, so its texts are here. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { matches } from '../common/matches.ts'
import { failed, toast } from '../common/toasts.ts'
import { Avatar } from '../common/ui/avatar.tsx'
import Calendar from '../common/ui/calendar.tsx'
import { chipColor } from '../common/ui/chip.ts'
import { DateField } from '../common/ui/date-field.tsx'
import { DatePicker } from '../common/ui/date-picker.tsx'
import { Dialog, DialogFoot } from '../common/ui/dialog.tsx'
import { Area, Check, Choice, Field, Form } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { ICON_NAMES, Icon } from '../common/ui/icon.tsx'
import { NotLoaded } from '../common/ui/late.tsx'
import { LeftTexts } from '../common/ui/left-texts.tsx'
import { Lock } from '../common/ui/lock.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { OptionList } from '../common/ui/option-list.tsx'
import { Failed, Loading, Missing, Page } from '../common/ui/page.tsx'
import { PersonField } from '../common/ui/person-field.tsx'
import { PersonPicker } from '../common/ui/person-picker.tsx'
import { Popup } from '../common/ui/popup.tsx'
import { PriorityIcon } from '../common/ui/priority.tsx'
import { LiveDot, ProjectTabs } from '../common/ui/project-head.tsx'
import { WhenRead } from '../common/ui/reading.tsx'
import { Copyable } from '../common/ui/secret.tsx'
import { Select } from '../common/ui/select.tsx'
import ShortcutsDialog from '../common/ui/shortcuts-dialog.tsx'
import { Suggestions } from '../common/ui/suggestions.tsx'
import { Toasts } from '../common/ui/toasts.tsx'

const UNSENT = {
  left: ['A title', 'Another title'],
  begin: () => undefined,
  end: () => undefined,
  leave: () => undefined,
  forget: () => undefined,
}

/** A part, by the name of its file in `common/ui`. */
const Part = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <section class="panel stack" data-part={name} aria-labelledby={`part-${name}`}>
    <h2 id={`part-${name}`}>{name}</h2>
    {children}
  </section>
)

/** A button that shows something until it is closed. */
function Shown({
  label,
  children,
}: {
  label: string
  children: (close: () => void, button: HTMLElement) => ComponentChildren
}) {
  const [button, setButton] = useState<HTMLElement | undefined>()
  return (
    <div>
      <button type="button" class="button" onClick={({ currentTarget }) => setButton(currentTarget)}>
        {label}
      </button>
      {button && children(() => setButton(undefined), button)}
    </div>
  )
}

const SIZES = ['meta', 'body', 'head', 'title'] as const
const SPACES = [1, 2, 3, 4, 6, 8] as const
const TEXTS = ['text', 'muted', 'accent', 'danger', 'warning', 'good'] as const
const GROUNDS = ['page', 'column', 'card', 'selected'] as const
const PRIORITIES = ['low', 'medium', 'high', 'critical', 'other'] as const
const FACTS = [
  ['text', ''],
  ['comment', '3'],
  ['clip', '1'],
  ['subtasks', '2/5'],
] as const
const HUES = Array.from({ length: 24 }, (_, index) => index * 15)

const Scales = () => (
  <Part name="scales">
    {SIZES.map((size) => (
      <p key={size} style={{ fontSize: `var(--${size})` }}>
        --{size}: Rewrite product pages
      </p>
    ))}
    <div class="row">
      {SPACES.map((space) => (
        <span key={space} class="chip">
          <span
            style={{
              background: 'var(--accent)',
              blockSize: `var(--space-${space})`,
              inlineSize: `var(--space-${space})`,
            }}
          />
          --space-{space}
        </span>
      ))}
    </div>
    {GROUNDS.map((ground) => (
      <p key={ground} class="row" style={{ background: `var(--${ground})`, padding: 'var(--space-2)' }}>
        --{ground}:
        {TEXTS.map((text) => (
          <span key={text} style={{ color: `var(--${text})` }}>
            --{text}
          </span>
        ))}
      </p>
    ))}
    <div class="row">
      <button type="button" class="button">
        button
      </button>
      <button type="button" class="button-primary">
        button-primary
      </button>
      <button type="button" class="button-link">
        button-link
      </button>
      <button type="button" class="button danger">
        danger
      </button>
      <button type="button" class="button" disabled>
        disabled
      </button>
      <span class="chip" style={chipColor('#b45309')}>
        chip
      </span>
      <kbd>Ctrl+K</kbd>
    </div>
    <article class="card">
      <h3 class="card-name">A card with a description, comments and files</h3>
      <div class="card-facts">
        {FACTS.map(([icon, text]) => (
          <span key={icon} class="card-fact">
            <Icon name={icon} /> {text}
          </span>
        ))}
      </div>
    </article>
  </Part>
)

function Options() {
  const [typed, setTyped] = useState('')
  return (
    <OptionList
      label="Option list"
      typed={typed}
      onType={setTyped}
      onChoose={({ label }) => toast(label)}
      none="Nothing found."
      options={[
        { value: 'a', label: 'Plain' },
        { value: 'b', label: 'With a note', note: 'note', isOn: true },
        { value: 'c', label: 'With a mark and a key', mark: <Icon name="flag" />, key: 'k' },
      ].filter(({ label }) => matches(label, typed))}
    />
  )
}

const WORDS = ['one', 'two', 'three'].map((name) => ({ id: name, name }))

function Suggesting() {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  return (
    <>
      <textarea
        ref={field}
        aria-label="Type # for suggestions"
        placeholder="Type # for suggestions"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Suggestions
        text={text}
        field={field}
        typingAt={(all, caret) => {
          const [, typed] = /#(\w*)$/.exec(all.slice(0, caret)) ?? []
          return typed === undefined ? undefined : { kind: '', start: caret - typed.length - 1, typed }
        }}
        find={({ typed }) => WORDS.filter(({ name }) => name.startsWith(typed))}
        label={() => 'Words'}
        countText={(count) => `${count} words`}
      />
    </>
  )
}

export default function StyleguidePage() {
  return (
    <Page title="Style guide">
      <div class="stack">
        <Scales />
        <Part name="avatar">
          <div class="row">
            {HUES.map((hue) => (
              <span key={hue} class="avatar" style={{ '--hue': hue }}>
                {hue}
              </span>
            ))}
            <Avatar id="somebody" name="Amara Osei" isNamed />
          </div>
        </Part>
        <Part name="calendar">
          <Shown label="Open a calendar">
            {(close, button) => (
              <Calendar
                id="calendar"
                label="Calendar"
                anchor={button}
                value=""
                min={undefined}
                max={undefined}
                onChoose={toast}
                onClose={close}
              />
            )}
          </Shown>
        </Part>
        <Part name="date-field">
          <DateField name="date" label="Date field" hint="With a hint" />
        </Part>
        <Part name="date-picker">
          <div class="field">
            <DatePicker label="Date picker" value="2026-12-24" hasTime onChoose={toast} />
          </div>
        </Part>
        <Part name="dialog">
          <Shown label="Open a dialog">
            {(close) => (
              <Dialog title="Dialog" onClose={close}>
                <p>Escape, the button and a click outside close it.</p>
                <form onSubmit={(event) => event.preventDefault()}>
                  <DialogFoot submit="Submit" onCancel={close} />
                </form>
              </Dialog>
            )}
          </Shown>
        </Part>
        <Part name="field">
          <Form send={() => Promise.reject(new Error('Refused'))} submit="Save" onCancel={() => undefined}>
            <Field name="name" label="Field" hint="With a hint" value="Value" />
            <Area name="text" label="Area" value="Some lines" />
            <Choice
              name="choice"
              label="Choice"
              options={[
                ['a', 'One'],
                ['b', 'Two'],
              ]}
            />
            <Check name="check" label="Check" isTicked />
          </Form>
        </Part>
        <Part name="form-dialog">
          <Shown label="Open a dialog with a form">
            {(close) => (
              <FormDialog title="Form" submit="Save" send={async () => close()} onClose={close}>
                <Field name="other" label="Field" />
              </FormDialog>
            )}
          </Shown>
        </Part>
        <Part name="icon">
          <div class="row">
            {ICON_NAMES.map((name) => (
              <span key={name} class="chip">
                <Icon name={name} /> {name}
              </span>
            ))}
          </div>
        </Part>
        <Part name="late">
          <NotLoaded why="updated" retry={() => undefined} />
        </Part>
        <Part name="left-texts">
          <LeftTexts unsent={UNSENT} add={() => undefined} />
        </Part>
        <Part name="lock">
          <p>
            <Lock of={{ access: 'assigned' }} /> A private project
          </p>
        </Part>
        <Part name="menu">
          <div>
            <Menu
              label="Open a menu"
              class="button"
              items={[
                { label: 'Action', key: 'a', run: () => toast('Done.') },
                { label: 'Link', href: '#main' },
                { label: 'Disabled', isDisabled: true, run: () => undefined },
                { label: 'Danger', isDanger: true, run: () => undefined },
              ]}
            >
              Open a menu
            </Menu>
          </div>
        </Part>
        <Part name="option-list">
          <Options />
        </Part>
        <Part name="page">
          <Loading />
          <Loading shape="columns" />
          <Failed error={new Error('The reason')} retry={() => undefined} />
          <Missing text="There is no such thing." />
        </Part>
        <Part name="person-field">
          <PersonField name="person" label="Person field" value="" others={[['', 'Nobody']]} />
        </Part>
        <Part name="person-picker">
          <PersonPicker label="Person picker" value="" others={[['', 'Nobody']]} onChoose={() => undefined} />
        </Part>
        <Part name="popup">
          <Shown label="Open a popup">
            {(close, button) => (
              <Popup label="Popup" anchor={button} onClose={close}>
                <p>A popup at its button.</p>
                <button type="button" class="button" onClick={close}>
                  Close
                </button>
              </Popup>
            )}
          </Shown>
        </Part>
        <Part name="priority">
          <div class="row">
            {PRIORITIES.map((priority) => (
              <span key={priority} class="chip">
                <PriorityIcon priority={priority} /> {priority}
              </span>
            ))}
          </div>
        </Part>
        <Part name="project-head">
          <div class="project-head">
            <ProjectTabs id="none" current="board" />
            <LiveDot />
          </div>
        </Part>
        <Part name="reading">
          <WhenRead
            of={{
              data: undefined,
              error: new Error('Not read'),
              reload: async () => undefined,
              replace: () => undefined,
            }}
          >
            {() => null}
          </WhenRead>
        </Part>
        <Part name="secret">
          <Copyable label="Secret" text="pb_0123456789" />
        </Part>
        <Part name="select">
          <Select
            label="Select"
            value="b"
            options={[
              ['a', 'One'],
              ['b', 'Two'],
            ]}
            onChoose={() => undefined}
          />
        </Part>
        <Part name="shortcuts-dialog">
          <Shown label="Open the list of keys">{(close) => <ShortcutsDialog onClose={close} />}</Shown>
        </Part>
        <Part name="suggestions">
          <Suggesting />
        </Part>
        <Part name="toasts">
          <div class="row">
            <button
              type="button"
              class="button"
              onClick={() => toast('Changed.', [{ label: 'Undo', run: () => undefined }])}
            >
              Show a message
            </button>
            <button type="button" class="button" onClick={() => failed(new Error('The reason'))}>
              Show a refusal
            </button>
          </div>
        </Part>
      </div>
      <Toasts />
    </Page>
  )
}
