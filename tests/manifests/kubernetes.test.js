// The examples for Kubernetes: every object against the published schema of its kind, and the objects against
// each other.

import assert from "node:assert";
import {execFileSync} from "node:child_process";
import {cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import test from "node:test";
import {fileURLToPath} from "node:url";
import {parse, parseAllDocuments} from "yaml";

const examples = join(dirname(fileURLToPath(import.meta.url)), "../../tools/examples");
const objects = parseAllDocuments(readFileSync(join(examples, "kubernetes/hearsay.yaml"), "utf8")).map((document) => {
  assert.deepEqual(document.errors, []);
  return document.toJS();
});
const one = (kind) => {
  const found = objects.filter((object) => object.kind === kind);
  assert.equal(found.length, 1, kind);
  return found[0];
};
const kustomization = (folder) => parse(readFileSync(join(examples, folder, "kustomization.yaml"), "utf8"));

async function validate(object) {
  const kinds = await import(`kubernetes-models/${object.apiVersion}`);
  assert.ok(kinds[object.kind], `${object.apiVersion} has no ${object.kind}`);
  new kinds[object.kind](object).validate();
}

// Schemas permit members that they do not know; a server that is asked to be strict does not.
function requireKnownMembers(object) {
  const known = {
    PodDisruptionBudget: ["maxUnavailable", "minAvailable", "selector", "unhealthyPodEvictionPolicy"],
    NetworkPolicy: ["podSelector", "policyTypes", "ingress", "egress"],
  }[object.kind];
  for (const member of Object.keys(known ? object.spec : {})) assert.ok(known.includes(member), member);
}

test("kubernetes: every object is valid by the published schema of its kind", async () => {
  assert.equal(objects.length, 4);
  for (const object of objects) {
    await validate(object);
    requireKnownMembers(object);
  }
});

test("kubernetes: a wrong type is noticed", async () => {
  const wrong = structuredClone(one("NetworkPolicy"));
  wrong.spec.ingress[0].ports[0].port = {};
  await assert.rejects(validate(wrong), /port/);
  const misspelled = structuredClone(one("PodDisruptionBudget"));
  misspelled.spec.maxUnavailabel = 1;
  assert.throws(() => requireKnownMembers(misspelled), /maxUnavailabel/);
});

test("kubernetes: service, budget and network policy are about the pods of the run, and their ports", () => {
  const set = one("StatefulSet");
  const labels = set.spec.template.metadata.labels;
  assert.deepEqual(one("Service").spec.selector, labels);
  assert.equal(one("Service").metadata.name, set.spec.serviceName);
  assert.deepEqual(one("PodDisruptionBudget").spec.selector.matchLabels, labels);
  assert.deepEqual(one("NetworkPolicy").spec.podSelector.matchLabels, labels);
  assert.deepEqual(one("NetworkPolicy").spec.ingress[0].from[0].podSelector.matchLabels, labels);
  const opened = one("NetworkPolicy").spec.ingress.flatMap((rule) => rule.ports.map((port) => port.port));
  const listened = set.spec.template.spec.containers[0].ports.map((port) => port.containerPort);
  assert.deepEqual(opened.sort(), listened.sort());
});

test("kubernetes: what is mounted is a volume, and the ConfigMap and the image are what the kustomization makes", () => {
  const pod = one("StatefulSet").spec.template.spec;
  const claimed = one("StatefulSet").spec.volumeClaimTemplates.map((claim) => claim.metadata.name);
  const volumes = [...pod.volumes.map((volume) => volume.name), ...claimed];
  for (const mount of pod.containers[0].volumeMounts) assert.ok(volumes.includes(mount.name), mount.name);
  const {configMapGenerator, images, resources} = kustomization("kubernetes");
  assert.deepEqual(resources, ["hearsay.yaml"]);
  assert.equal(pod.volumes.find((volume) => volume.configMap).configMap.name, configMapGenerator[0].name);
  assert.deepEqual(configMapGenerator[0].files, ["run.toml"]);
  assert.equal(pod.containers[0].image, `${images[0].name}:${images[0].newTag}`);
});

test("kubernetes: the overlay has the files that its script makes, of all pods, for their owner and group only", () => {
  const {resources, configMapGenerator, secretGenerator} = kustomization("kubernetes-keys");
  assert.deepEqual(resources, ["../kubernetes"]);
  assert.equal(configMapGenerator[0].name, kustomization("kubernetes").configMapGenerator[0].name);
  const secret = one("StatefulSet").spec.template.spec.volumes.find((volume) => volume.secret).secret;
  assert.equal(secret.secretName, secretGenerator[0].name);
  assert.equal(secret.optional, true);
  assert.equal(secret.defaultMode & 0o007, 0);
  const {replicas} = one("StatefulSet").spec;
  const folder = mkdtempSync(join(tmpdir(), "hearsay-keys-"));
  try {
    cpSync(join(examples, "kubernetes-keys"), folder, {recursive: true});
    execFileSync(join(folder, "make_keys.sh"), [String(replicas)], {stdio: "pipe"});
    for (const file of [...secretGenerator[0].files, ...configMapGenerator[0].files])
      assert.ok(existsSync(join(folder, file)), file);
    assert.equal(secretGenerator[0].files.length, 1 + replicas);
    assert.equal(statSync(join(folder, "hearsay-0.key")).mode & 0o077, 0);
    const authorized = readFileSync(join(folder, "cluster.keys"), "utf8");
    for (let id = 0; id < replicas; ++id) assert.match(authorized, new RegExp(`^"?${id}"? = `, "m"));
  } finally {
    rmSync(folder, {recursive: true});
  }
});
