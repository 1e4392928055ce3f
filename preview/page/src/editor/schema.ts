// Walks a JSON Schema along a path of keys.
// In: the schema of contexts, a path. Out: the schema there. Never: resolves references (there are none).

import type { Json, JsonObject } from "../types";

export type Step = string | number;

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The schema at a path, or null where nothing is declared. */
export function at(schema: JsonObject, path: Step[]): JsonObject | null {
  let here: JsonObject | null = schema;
  for (const step of path) {
    if (here === null) return null;
    const next: Json | undefined = typeof step === "number" ? here["items"] : properties(here)[step];
    here = isObject(next) ? next : null;
  }
  return here;
}

/** The declared keys of an object; those of its alternatives are among them. */
export function properties(schema: JsonObject): JsonObject {
  const own = isObject(schema["properties"]) ? schema["properties"] : {};
  return alternatives(schema).reduce<JsonObject>((all, one) => ({ ...properties(one), ...all }), own);
}

export function alternatives(schema: JsonObject): JsonObject[] {
  return ["anyOf", "oneOf"].flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? list.filter(isObject) : [];
  });
}

/** The types that are allowed; empty where any is. */
export function types(schema: JsonObject): string[] {
  const type = schema["type"];
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === "string");
  const each = alternatives(schema).map(types);
  return each.some((list) => list.length === 0) ? [] : each.flat();
}

/** The values that are worth offering. */
export function values(schema: JsonObject): Json[] {
  const found: Json[] = [];
  const put = (value: Json): void => {
    if (value !== null && !found.includes(value)) found.push(value);
  };
  for (const key of ["enum", "examples"]) {
    const list = schema[key];
    if (Array.isArray(list)) list.forEach(put);
  }
  const usual = schema["default"];
  if (usual !== undefined) put(usual);
  if (types(schema).includes("boolean")) [true, false].forEach(put);
  return found;
}

export const description = (schema: JsonObject | null): string =>
  typeof schema?.["description"] === "string" ? schema["description"] : "";
