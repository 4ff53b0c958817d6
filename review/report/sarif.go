package report

import (
	"io"
	"net/url"

	"github.com/ringfence-go/ringfence/review/rule"
	"github.com/ringfence-go/ringfence/review/runner"
)

// The parts of SARIF 2.1.0 that code scanning reads.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Bases       sarifBases        `json:"originalUriBaseIds"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
	}
	sarifBases map[string]sarifBase
	sarifBase  struct {
		Description sarifText `json:"description"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		Name             string    `json:"name"`
		ShortDescription sarifText `json:"shortDescription"`
		FullDescription  sarifText `json:"fullDescription"`
		Help             sarifHelp `json:"help"`
		HelpURI          string    `json:"helpUri"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifInvocation struct {
		ExecutionSuccessful        bool                `json:"executionSuccessful"`
		ToolExecutionNotifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []sarifLocation   `json:"locations"`
		RelatedLocations    []sarifLocation   `json:"relatedLocations,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
		Fixes               []sarifFix        `json:"fixes,omitempty"`
		Properties          map[string]any    `json:"properties"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical `json:"physicalLocation"`
		Message          *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		ArtifactLocation sarifArtifact      `json:"artifactLocation"`
		Replacements     []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		DeletedRegion   sarifRegion `json:"deletedRegion"`
		InsertedContent sarifText   `json:"insertedContent"`
	}
)

const home = "https://github.com/ringfence-go/ringfence"

// SARIF writes findings for code scanning.
func SARIF(w io.Writer, r *runner.Result, rules []*rule.Rule) error {
	index := map[*rule.Rule]int{}
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "ringfence-review", InformationURI: home}}, Results: []sarifResult{}, ColumnKind: "unicodeCodePoints"}
	run.Bases = sarifBases{base: {sarifText{"the folder that the review was started in"}}}
	for i, ru := range append(rules[:len(rules):len(rules)], runner.Suppression) {
		index[ru] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, describe(ru))
	}
	prints := runner.Fingerprints(r.Findings)
	for i, f := range r.Findings {
		run.Results = append(run.Results, result(f, index[f.Rule], prints[i]))
	}
	said := append(notifications("error", "not reviewed: ", r.Problems), notifications("note", "", r.Notes)...)
	run.Invocations = []sarifInvocation{{len(r.Problems) == 0, said}}
	return encode(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func notifications(level, prefix string, list []runner.Problem) (out []sarifNotification) {
	for _, p := range list {
		out = append(out, sarifNotification{level, sarifText{prefix + p.Reason}, []sarifLocation{location(p.Path, 0, 0, "")}})
	}
	return out
}

func describe(r *rule.Rule) sarifRule {
	doc := r.Doc
	if doc == "" {
		doc = r.Summary
	}
	page := r.Name
	if r == runner.Suppression {
		page = "README"
	}
	return sarifRule{ID: r.Name, Name: r.Name, ShortDescription: sarifText{r.Summary}, FullDescription: sarifText{r.Summary}, Help: sarifHelp{doc, doc}, HelpURI: home + "/blob/main/docs/review/" + page + ".md"}
}

func result(f runner.Finding, index int, print string) sarifResult {
	text := f.Message
	if f.Fix != "" {
		text += ". Fix: " + f.Fix
	}
	line, column := f.Place(f.Pos)
	out := sarifResult{
		RuleID: f.Rule.Name, RuleIndex: index, Level: f.Severity.String(), Message: sarifText{text},
		Locations:           []sarifLocation{location(f.Path, line, column, "")},
		PartialFingerprints: map[string]string{"primaryLocationLineHash": print},
		Properties:          map[string]any{"confidence": f.Confidence.String(), "number": f.Rule.Number},
	}
	for _, rel := range f.Related {
		line, column := f.Place(rel.Pos)
		out.RelatedLocations = append(out.RelatedLocations, location(f.Path, line, column, rel.Text))
	}
	if f.Edit != nil {
		out.Fixes = []sarifFix{fix(f)}
	}
	return out
}

// fix is the edit of a finding.
func fix(f runner.Finding) sarifFix {
	var region sarifRegion
	region.StartLine, region.StartColumn = f.Place(f.Edit.From)
	region.EndLine, region.EndColumn = f.Place(f.Edit.To)
	change := sarifChange{artifact(f.Path), []sarifReplacement{{region, sarifText{f.Edit.Text}}}}
	return sarifFix{sarifText{f.Fix}, []sarifChange{change}}
}

// base is what paths are relative to, by the name that code scanning knows.
const base = "%SRCROOT%"

func artifact(path string) sarifArtifact {
	return sarifArtifact{URI: (&url.URL{Path: path}).String(), URIBaseID: base}
}

func location(path string, line, column int, text string) sarifLocation {
	l := sarifLocation{PhysicalLocation: sarifPhysical{ArtifactLocation: artifact(path)}}
	if line > 0 {
		l.PhysicalLocation.Region = &sarifRegion{StartLine: line, StartColumn: column}
	}
	if text != "" {
		l.Message = &sarifText{text}
	}
	return l
}
