// Renders a chart for the tests as `helm template` does. Helm is in neither of the registries that this project uses, but
// it is made of libraries that Debian has: Go's text/template, Sprig, and gojsonschema for the schema (newer versions of Helm
// have another validator). The functions that only Helm has are below. A template that uses another one is refused.
//
// usage: chart-renderer FOLDER < {"namespace": "…", "values": {…}}
//
// Standard output is {"values": {…}, "manifests": {"templates/….yaml": "…"}, "notes": "…"}. The values are those of the chart
// and of standard input. If the schema or a template refuses them, "problem" says why.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/xeipuuv/gojsonschema"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

// The fields of Chart.yaml that templates may use. Helm has more.
type metadata struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	AppVersion string `json:"appVersion"`
}

type files struct{ folder string }

// Get is empty if the file does not exist, as in Helm.
func (f files) Get(name string) string {
	text, _ := os.ReadFile(filepath.Join(f.folder, name))
	return string(text)
}

func toYaml(value interface{}) string {
	text, err := yaml.Marshal(value)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}

// merged gives the values of the user precedence. A null of the user removes the value of the chart.
func merged(chart, user object) object {
	result := object{}
	for key, value := range chart {
		result[key] = value
	}
	for key, value := range user {
		below, isBelow := result[key].(object)
		above, isAbove := value.(object)
		switch {
		case value == nil:
			delete(result, key)
		case isBelow && isAbove:
			result[key] = merged(below, above)
		default:
			result[key] = value
		}
	}
	return result
}

func read(path string, into interface{}) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(text, into)
}

type release struct {
	Namespace string `json:"namespace"`
	Values    object `json:"values"`
}

type result struct {
	Values    object            `json:"values"`
	Manifests map[string]string `json:"manifests"`
	Notes     string            `json:"notes"`
	Problem   string            `json:"problem,omitempty"`
}

// check fails if the schema of the chart refuses the values. Helm prints the same lines, in any order.
func (r *result) check(folder string) error {
	schema, err := os.ReadFile(filepath.Join(folder, "values.schema.json"))
	if os.IsNotExist(err) {
		return nil
	} else if err != nil {
		return err
	}
	checked, err := gojsonschema.Validate(gojsonschema.NewBytesLoader(schema), gojsonschema.NewGoLoader(r.Values))
	if err != nil {
		return err
	}
	var lines []string
	for _, problem := range checked.Errors() {
		lines = append(lines, fmt.Sprintf("- %s", problem))
	}
	if len(lines) == 0 {
		return nil
	}
	sort.Strings(lines)
	return errors.New(strings.Join(lines, "\n"))
}

// parsed gives the templates of a chart by their names, with the functions that Helm has.
func parsed(paths []string) (*template.Template, error) {
	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["toYaml"] = toYaml
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	all.Funcs(functions)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if _, err := all.New(filepath.Base(path)).Parse(string(text)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (r *result) render(folder string, namespace string) error {
	if err := r.check(folder); err != nil {
		return err
	}
	var chart metadata
	if err := read(filepath.Join(folder, "Chart.yaml"), &chart); err != nil {
		return err
	}
	paths, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	if err != nil {
		return err
	}
	all, err := parsed(paths)
	if err != nil {
		return err
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var text strings.Builder
		err := all.ExecuteTemplate(&text, name, object{
			"Chart":    chart,
			"Files":    files{folder},
			"Release":  object{"Name": chart.Name, "Namespace": namespace, "Service": "Helm", "IsInstall": true},
			"Template": object{"Name": chart.Name + "/templates/" + name},
			"Values":   r.Values,
		})
		if err != nil {
			return err
		}
		plain := strings.ReplaceAll(text.String(), "<no value>", "")
		if name == "NOTES.txt" {
			r.Notes = plain
		} else {
			r.Manifests["templates/"+name] = plain
		}
	}
	return nil
}

func run() error {
	if len(os.Args) != 2 {
		return errors.New("usage: chart-renderer FOLDER")
	}
	folder := os.Args[1]
	var given release
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		return err
	}
	values := object{}
	if err := read(filepath.Join(folder, "values.yaml"), &values); err != nil {
		return err
	}
	rendered := result{Values: merged(values, given.Values), Manifests: map[string]string{}}
	if err := rendered.render(folder, given.Namespace); err != nil {
		rendered.Problem = err.Error()
	}
	return json.NewEncoder(os.Stdout).Encode(rendered)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
