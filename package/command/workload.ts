/** The manifests of a process besides its definitions and roles. The files in deploy/ have the same content. */

export interface WorkloadOptions {
  /** The name of all objects. It must be the name given to `run`, because the Lease of the process has that name by default. */
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
}

/** The manifest of the Namespace, which is applied first. */
export const namespaceManifest = ({ namespace }: WorkloadOptions, origin: string): string => `# ${origin}
apiVersion: v1
kind: Namespace
metadata:
  name: ${namespace}
  labels:
    pod-security.kubernetes.io/enforce: restricted
    pod-security.kubernetes.io/audit: restricted
    pod-security.kubernetes.io/warn: restricted
`;

/** All other manifests, for claims in every namespace: service account, bindings, Deployment, metrics, NetworkPolicy. */
export const workloadManifests = (options: WorkloadOptions, origin: string): string =>
  `# ${origin}\n${[
    serviceAccount(options),
    ...['', '-claims', '-events', '-namespaces', '-secrets'].map((suffix) => binding(options, suffix)),
    leaderElection(options),
    deployment(options),
    metrics(options),
    network(options),
  ].join('---\n')}`;

const serviceAccount = ({ name, namespace }: WorkloadOptions): string => `apiVersion: v1
kind: ServiceAccount
metadata:
  namespace: ${namespace}
  name: ${name}
`;

const subject = ({ name, namespace }: WorkloadOptions): string => `subjects:
  - kind: ServiceAccount
    namespace: ${namespace}
    name: ${name}
`;

/** Binds a role of roles.yaml. */
const binding = (
  options: WorkloadOptions,
  suffix: string,
): string => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: ${options.name}${suffix}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: ${options.name}${suffix}
${subject(options)}`;

const leaderElection = (options: WorkloadOptions): string => `# The Lease decides which replica leads.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  namespace: ${options.namespace}
  name: ${options.name}-leader-election
rules:
  # RBAC cannot limit creation by name.
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    verbs: [create]
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    resourceNames: [${options.name}]
    verbs: [get, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  namespace: ${options.namespace}
  name: ${options.name}-leader-election
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: ${options.name}-leader-election
${subject(options)}`;

const deployment = ({ name, namespace, image }: WorkloadOptions): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  namespace: ${namespace}
  name: ${name}
  labels:
    app.kubernetes.io/name: ${name}
spec:
  # One replica leads; the other stands by with complete stores.
  replicas: 2
  selector:
    matchLabels:
      app.kubernetes.io/name: ${name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${name}
    spec:
      serviceAccountName: ${name}
      # The process drains for at most 30 s, then releases the Lease.
      terminationGracePeriodSeconds: 40
      enableServiceLinks: false
      securityContext:
        runAsNonRoot: true
        seccompProfile:
          type: RuntimeDefault
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              app.kubernetes.io/name: ${name}
      containers:
        - name: ${name}
          image: ${image}
          args:
            - --health-probe-bind-address=:8081
            - --metrics-bind-address=:8080
          # To set more flags without a change of this file, create a ConfigMap with SERVICES_STACK_LOG_LEVEL and the like.
          envFrom:
            - configMapRef:
                name: ${name}
                optional: true
          ports:
            - name: metrics
              containerPort: 8080
            - name: probes
              containerPort: 8081
          startupProbe:
            httpGet: { path: /healthz, port: probes }
            periodSeconds: 1
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /healthz, port: probes }
            periodSeconds: 15
            timeoutSeconds: 5
          readinessProbe:
            httpGet: { path: /readyz, port: probes }
            periodSeconds: 5
            timeoutSeconds: 5
          resources:
            requests: { cpu: 100m, memory: 192Mi }
            limits: { memory: 512Mi }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
`;

const metrics = ({
  name,
  namespace,
}: WorkloadOptions): string => `# Plain HTTP, open to every pod that the NetworkPolicy admits.
apiVersion: v1
kind: Service
metadata:
  namespace: ${namespace}
  name: ${name}-metrics
  labels:
    app.kubernetes.io/name: ${name}
spec:
  selector:
    app.kubernetes.io/name: ${name}
  ports:
    - name: metrics
      port: 8080
      targetPort: metrics
`;

const network = ({
  name,
  namespace,
}: WorkloadOptions): string => `# Only metrics and probes can be reached. Outgoing connections are not limited: clouds can be anywhere.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  namespace: ${namespace}
  name: ${name}
spec:
  podSelector:
    matchLabels:
      app.kubernetes.io/name: ${name}
  policyTypes: [Ingress]
  ingress:
    # To limit who may read the metrics, add "from" with a namespaceSelector or podSelector here.
    - ports:
        - { protocol: TCP, port: metrics }
    - ports:
        - { protocol: TCP, port: probes }
`;
