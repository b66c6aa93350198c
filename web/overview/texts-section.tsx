/** The name, description and next step of the project, edited in place. */

import { MarkdownText } from '../common/markdown/markdown-text.tsx'
import type { ProjectFields, ProjectStore } from '../common/project-store.ts'
import { mayWriteIn } from '../common/rights.ts'
import { EditableText } from '../common/text-edit/editable-text.tsx'
import { texts } from '../texts.ts'
import { type ProjectText, saveProjectText } from './project-writes.ts'
import { Section } from './section.tsx'

const words = texts.overview

interface Props {
  store: ProjectStore
  project: ProjectFields
}

/** @param isLine whether the text has one line and must not be empty */
function OneText({ store, project, field, isLine }: Props & { field: ProjectText; isLine: boolean }) {
  return (
    <EditableText
      label={words[field]}
      called={texts.inSentence(words[field])}
      name={`project:${store.id}:${field}`}
      value={project[field]}
      base={store.projects.base(store.id)?.[field]}
      canEdit={mayWriteIn(store)}
      kind={isLine ? 'line' : 'lines'}
      maker={() => store.makerOf(store.id, field)}
      save={(text, from) => saveProjectText(store, field, isLine ? text.trim() : text, from)}
    >
      {(text, onTick) =>
        text === '' ? (
          <p class="muted">{words.none}</p>
        ) : isLine ? (
          <p dir="auto">{text}</p>
        ) : (
          <MarkdownText text={text} onTick={onTick} />
        )
      }
    </EditableText>
  )
}

export function Texts(props: Props) {
  return (
    <>
      <Section title={words.nextStep}>
        <OneText {...props} field="nextStep" isLine={false} />
      </Section>
      <Section title={words.about}>
        <h3 class="meta">{words.name}</h3>
        <OneText {...props} field="name" isLine />
        <h3 class="meta">{words.description}</h3>
        <OneText {...props} field="description" isLine={false} />
      </Section>
    </>
  )
}
