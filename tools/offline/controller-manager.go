// Runs two controllers of kube-controller-manager, as its cmd/kube-controller-manager/app does: the one that deletes the
// contents of namespaces, and the garbage collector. It opens no port. To build the whole program takes far longer.
package main

import (
	"flag"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of an administrator")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		klog.Fatal(err)
	}
	config.QPS, config.Burst = 400, 3000
	client := kubernetes.NewForConfigOrDie(config)
	objects := metadata.NewForConfigOrDie(config)
	shared := informers.NewSharedInformerFactory(client, 12*time.Hour)
	others := metadatainformer.NewSharedInformerFactory(objects, 12*time.Hour)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	go wait.Until(mapper.Reset, 30*time.Second, wait.NeverStop)

	namespaces := namespace.NewNamespaceController(
		client, objects, client.Discovery().ServerPreferredNamespacedResources,
		shared.Core().V1().Namespaces(), 5*time.Minute, v1.FinalizerKubernetes,
	)
	started := make(chan struct{})
	ignored := map[schema.GroupResource]struct{}{{Group: "", Resource: "events"}: {}}
	collector, err := garbagecollector.NewGarbageCollector(
		client, objects, mapper, ignored, informerfactory.NewInformerFactory(shared, others), started,
	)
	if err != nil {
		klog.Fatal(err)
	}
	go namespaces.Run(10, wait.NeverStop)
	go collector.Run(20, wait.NeverStop)
	go collector.Sync(client.Discovery(), 30*time.Second, wait.NeverStop)
	shared.Start(wait.NeverStop)
	others.Start(wait.NeverStop)
	close(started)
	select {}
}
