import { EnvoyDescriptorSchema, EnvoyDomainSchema } from './envoy-schema.ts';
import { schemaOfKind } from './policy-schema.ts';
import { ScenariosSection, scenarioEntrySchemas } from './scenarios-section.ts';
import { documentFields, sections } from './service-schema.ts';
import { isTree, merge } from './tree.ts';

/**
 * The JSON Schema of a service's configuration file, for editors and other programs. It is made of the schemas that
 * validate; where those leave a part to code (policies, descriptors), this says what the code takes.
 */
export function serviceJsonSchema(): object {
  const parts = { ...sections, policies, envoy, scenarios };
  const references = Object.fromEntries(
    Object.keys(parts).map((name) => [name, { $ref: `#/$defs/${name}` }]),
  );
  const layer = { type: 'object', properties: references, additionalProperties: false };
  const { environments: _, ...named } = documentFields;
  return plain({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:portcullis:config',
    title: 'Portcullis service configuration',
    type: 'object',
    properties: {
      ...named,
      environments: {
        type: 'object',
        description: 'Layers by name; the chosen one is merged over the rest.',
        additionalProperties: { anyOf: [{ $ref: '#/$defs/layer' }, { type: 'null' }] },
      },
      ...references,
    },
    additionalProperties: false,
    $defs: {
      ...parts,
      credentialPolicy: schemaOfKind.credential,
      ratePolicy: schemaOfKind.rate,
      layer,
      scenario,
      envoyDomain,
      envoyDescriptor,
    },
  }) as object;
}

const policies = {
  type: 'object',
  description: 'Built-in policies with other numbers, and policies of your own that extend one of them.',
  properties: {
    login: { $ref: '#/$defs/credentialPolicy' },
    otp: { $ref: '#/$defs/credentialPolicy' },
    api: { $ref: '#/$defs/ratePolicy' },
  },
  additionalProperties: { anyOf: [{ $ref: '#/$defs/credentialPolicy' }, { $ref: '#/$defs/ratePolicy' }] },
};

const descriptors = { properties: { descriptors: { items: { $ref: '#/$defs/envoyDescriptor' } } } };
const envoyDescriptor = merge(EnvoyDescriptorSchema, descriptors);
const envoyDomain = merge(EnvoyDomainSchema, descriptors);
const envoy = merge(sections.envoy, {
  items: { anyOf: [{ type: 'string', description: 'Path of a file.' }, { $ref: '#/$defs/envoyDomain' }] },
});

const scenario = { anyOf: scenarioEntrySchemas };
const scenarioList = { items: { $ref: '#/$defs/scenario' } };
const [bareList, settings] = ScenariosSection.anyOf;
const scenarios = {
  ...ScenariosSection,
  anyOf: [merge(bareList, scenarioList), merge(settings, { properties: { list: scenarioList } })],
};

/** Without what only our own messages need. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isTree(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field]) => field !== 'expected')
      .map(([field, inner]) => [field, plain(inner)]),
  );
}
