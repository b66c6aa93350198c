/** Ids of people in stored records, and in the changes of these. */
import { readIds } from './json-text.ts'

/** The fields with the id of a member or a person. */
export const PEOPLE_FIELDS: readonly string[] = [
  'actorId',
  'assigneeId',
  'authorId',
  'createdBy',
  'leadId',
  'memberId',
  'mergedInto',
  'ownerId',
  'subjectId',
]

/** The same in the records of changes, which are JSON written by triggers. */
const PERSON_IN_CHANGE = new RegExp(`("(?:${PEOPLE_FIELDS.join('|')})":)("(?:[^"\\\\]|\\\\.)*")`, 'g')
const PEOPLE_IN_CHANGE = /("memberIds":)(\["(?:[^"\\]|\\.)*"(?:,"(?:[^"\\]|\\.)*")*\])/g

/** The lists of assignees in them: the stored text of a JSON array. */
const ASSIGNEES_IN_CHANGE = /("assigneeIds":)("(?:[^"\\]|\\.)*")/g

/** The same in the assignees of items' activity. */
const FROM_OR_TO = /("(?:from|to)":)("(?:[^"\\]|\\.)*")/g

/** A list of ids in SQLite's order. */
const inOrder = (ids: string[]) =>
  JSON.stringify(ids.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))))

/** Replaces ids of people in stored texts. @param ids each replaced id, and the new one */
export function createIdReplacer(ids: ReadonlyMap<string, string>) {
  const replaced = (id: string) => ids.get(id) ?? id
  const replacedList = (text: string) => {
    const ids = new Set(readIds(text).map(replaced))
    return ids.size > 1 ? JSON.stringify([...ids]) : text === '' ? '' : '[]'
  }
  const replacedJson = (json: string) => JSON.stringify(replaced(JSON.parse(json)))
  return {
    /** In an id itself. */
    id: replaced,
    /** In a stored list of assignees. */
    list: replacedList,
    /** In `before` or `after` of a change. */
    inChange: (text: string) =>
      text
        .replace(
          ASSIGNEES_IN_CHANGE,
          (_, name: string, list: string) => name + JSON.stringify(replacedList(JSON.parse(list))),
        )
        .replace(PERSON_IN_CHANGE, (_, name: string, id: string) => name + replacedJson(id))
        .replace(
          PEOPLE_IN_CHANGE,
          (_, name: string, list: string) => name + inOrder(JSON.parse(list).map(replaced)),
        ),
    /** In the metadata of an item's activity. */
    inMetadata: (text: string) =>
      text.replace(FROM_OR_TO, (_, name: string, id: string) => name + replacedJson(id)),
  }
}
