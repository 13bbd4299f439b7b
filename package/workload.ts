/** What a process of an author's stacks needs of a cluster beside its definitions and roles; deploy/ here has the same. */

export interface WorkloadOptions {
  /** Of all objects; what `run` is given, for the Lease of the process is called that by default. */
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
}

/** The Namespace as a file of manifests; it comes before all others. */
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

/** All else as a file of manifests, for the claims of every namespace: whom the process runs as, its rights, itself. */
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

/** Of a role of roles.yaml. */
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

const leaderElection = (options: WorkloadOptions): string => `# The lease by which one replica leads.
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
  # One leads, the other stands by with its stores filled.
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
      # Drains for 30 s at most, then releases the lease.
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
            - --leader-election-namespace=${namespace}
            - --health-probe-bind-address=:8081
            - --metrics-bind-address=:8080
          # More flags without a change of this file: a ConfigMap with SERVICES_STACK_LOG_LEVEL and the like.
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
            runAsUser: 1000
            runAsGroup: 1000
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
`;

const metrics = ({
  name,
  namespace,
}: WorkloadOptions): string => `# Plain HTTP and open to every pod that the NetworkPolicy lets in.
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
}: WorkloadOptions): string => `# Nobody reaches the pods but for metrics and probes. Where they go is not limited: clouds are anywhere.
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
    # From where the metrics may be read: add namespaceSelector or podSelector.
    - ports:
        - { protocol: TCP, port: metrics }
        - { protocol: TCP, port: probes }
`;
