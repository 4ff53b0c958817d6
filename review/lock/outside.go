package lock

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// outward is a call that makes another system do something.
type outward struct {
	what   string
	grave  bool
	method map[string]bool // the last word of the call
	words  map[string]bool // a word of the chain before it, or of its type
}

var outwards = []outward{
	{"a payment", true, wordSet("create charge capture pay refund transfer confirm execute createCharge createPayment create_charge new New"),
		wordSet("stripe charges charge paymentintents paymentintent paymentIntents payment_intents transfers payouts refunds braintree paypal adyen gateway invoices Charge PaymentIntent payments Transfer Payout")},
	{"a mail", true, wordSet("send sendMail send_mail send_message deliver_now deliver_later deliver sendmail SendMail Send sendEmail send_email SendEmail queue send_mass_mail DialAndSend mail"),
		wordSet("mail mailer mailers smtp transporter transport ses sendgrid sgmail mailgun email emails postmark django smtplib sesv2 mailsender javamailsender nodemailer UserMailer server gomail")},
	{"a message", true, wordSet("publish send produce basic_publish send_message sendMessage sendToQueue Publish PublishWithContext SendMessage WriteMessages convertAndSend Produce publishBatch create put_events xadd XAdd enqueue PublishMsg"),
		wordSet("producer kafka channel ch amqp rabbit sns sqs pubsub topic publisher nats rabbittemplate kafkatemplate writer eventbridge queue exchange twilio slack telegram js messages bus broker sms")},
}

// httpWrites are methods of HTTP clients that change something.
var httpWrites = wordSet("post put patch Post PostForm postForObject postForEntity exchange postForLocation put_async post_async")

var httpWords = wordSet("requests axios http https got superagent httpx aiohttp session client rest resttemplate webclient guzzle faraday net needle ky fetch httpclient conn restclient httparty http_client api Http undici agent request excon typhoeus unirest needle okhttp reqwest resty")

// outside reads an effect on another system.
func (f *Function) outside(s *Site) *Effect {
	e := s.Call
	if eff := f.httpEffect(s); eff != nil {
		return eff
	}
	for _, o := range outwards {
		if (o.method[e.Method()] || o.what == "a message" && speaksOut(e.Method())) && (f.chainHas(e, o.words) || o.what == "a mail" && mailed(e.Receiver())) {
			return &Effect{Site: s, Kind: Outside, What: o.what, Grave: o.grave, Idempotent: isIdempotent(f, e)}
		}
	}
	if o := f.servedBy(e); o != nil {
		return &Effect{Site: s, Kind: Outside, What: o.what, Grave: true, Idempotent: isIdempotent(f, e)}
	}
	what := cmp.Or(f.commanded(e), f.programOut(e))
	if what == "" && f.enqueued(e) {
		what = "a job"
	}
	if what != "" {
		return &Effect{Site: s, Kind: Outside, What: what, Grave: true, Idempotent: isIdempotent(f, e)}
	}
	switch e.Method() {
	case "send_mail", "wp_mail", "mail", "sendmail", "mailx", "EmailMessage":
		if e.Receiver() == nil && (f.File.Language == ir.Python || f.File.Language == ir.PHP || f.File.Language == ir.Shell) && e.Method() != "EmailMessage" {
			return &Effect{Site: s, Kind: Outside, What: "a mail", Grave: true}
		}
	case "SendMail":
		return &Effect{Site: s, Kind: Outside, What: "a mail", Grave: true}
	}
	return nil
}

// speaksOut reports whether a method is named like one that sends a message.
func speaksOut(name string) bool {
	list := words(name)
	return len(list) > 1 && (list[0] == "send" || list[0] == "publish" || list[0] == "produce" || list[len(list)-1] == "publish")
}

// mailed reports whether a chain of names begins at something that is called after mail.
func mailed(e *ir.Expr) bool {
	path := strings.ToLower(e.Path())
	return strings.Contains(path, "smtp") || strings.Contains(path, "mail")
}

func (f *Function) chainHas(e *ir.Expr, set map[string]bool) bool {
	found := false
	for x := e.Receiver(); x != nil; {
		switch x.Kind {
		case ir.Member, ir.Name:
			found = found || hasAny(x.Name, set) || hasAny(f.kindOf(x), set)
			x = x.X
		case ir.Call, ir.New, ir.Await, ir.Index:
			x = x.X
		default:
			x = nil
		}
	}
	return found
}

// kindOf is the type of a value, with its module where that is the name of a service
// rather than an address.
func (f *Function) kindOf(x *ir.Expr) string {
	t := f.typeOf(x)
	switch f.File.Language {
	case ir.Python:
		return t
	case ir.Go:
		return strings.TrimLeft(t[strings.LastIndexByte(t, '/')+1:], "*")
	}
	return shortType(t)
}

func hasAny(name string, set map[string]bool) bool {
	name = strings.TrimPrefix(name, "$")
	return name != "" && (set[name] || set[strings.ToLower(name)] || hasWord(name, set))
}

func (f *Function) httpEffect(s *Site) *Effect {
	e := s.Call
	method := e.Method()
	eff := &Effect{Site: s, Kind: Outside, What: "an HTTP request that changes something", Grave: true, Idempotent: isIdempotent(f, e)}
	switch {
	case method == "exchange" && readsOnly(e):
		return nil
	case httpWrites[method] && e.Receiver() != nil && (f.chainHas(e, httpWords) || f.speaksHTTP(e.Receiver())):
		eff.Idempotent = eff.Idempotent || strings.HasPrefix(method, "put")
		return eff
	case (method == "fetch" || method == "request" || method == "axios") && len(e.Args) > 1 || method == "axios" && len(e.Args) == 1:
		o := f.resolve(e.Args[len(e.Args)-1])
		if m, ok := f.literal(o.Named("method")); ok && strings.EqualFold(m, "POST") && o.Kind == ir.Map {
			return eff
		}
		if m, ok := f.literal(e.Arg(0)); ok && strings.EqualFold(m, "POST") {
			return eff
		}
	case method == "curl" && f.File.Language == ir.Shell:
		return f.curl(s, eff)
	}
	if found, keyed := f.posts(s); found {
		eff.Idempotent = eff.Idempotent || keyed
		return eff
	}
	return nil
}

// httpMakers name the modules of clients of HTTP, whatever a client of one is called.
var httpMakers = wordSet("axios got superagent faraday httparty restclient httpx aiohttp requests guzzlehttp guzzle resty typhoeus excon undici ky retrofit resttemplate")

// speaksHTTP reports whether a value is a client of HTTP by what it was made from.
func (f *Function) speaksHTTP(client *ir.Expr) bool {
	return slices.ContainsFunc(f.origin(client, 4), func(word string) bool { return httpMakers[word] })
}

// readsOnly reports whether a call is told a method of HTTP that changes nothing.
func readsOnly(e *ir.Expr) bool {
	return slices.ContainsFunc(e.Args, func(a *ir.Expr) bool { return lastWord(a.Path()) == "GET" || lastWord(a.Path()) == "HEAD" })
}

func (f *Function) curl(s *Site, eff *Effect) *Effect {
	post := false
	for i, a := range s.Call.Args {
		text, _ := f.fold(a)
		next, _ := f.fold(s.Call.Arg(i + 1))
		post = post || text == "-X" && next == "POST" || text == "-XPOST" || text == "-d" || strings.HasPrefix(text, "--data") || text == "--request" && next == "POST"
		if isIdempotencyKey(text) {
			eff.Idempotent = true
		}
	}
	if !post {
		return nil
	}
	return eff
}

// joined takes out what stands between the words of a name.
var joined = strings.NewReplacer("-", "", "_", "", " ", "", "?", "", "!", "")

func isIdempotencyKey(name string) bool {
	if len(name) < len("dedup") {
		return false
	}
	name = strings.ToLower(joined.Replace(name))
	return strings.Contains(name, "idempoten") || strings.Contains(name, "dedup")
}

// isIdempotent reports whether an argument carries an idempotency key.
func isIdempotent(f *Function, e *ir.Expr) (found bool) {
	look := func(x *ir.Expr) bool {
		for _, k := range x.Keys {
			found = found || isIdempotencyKey(k)
		}
		found = found || (x.Kind == ir.Name || x.Kind == ir.Member || x.Kind == ir.String) && isIdempotencyKey(x.Name)
		return !found
	}
	e.Each(look)
	for _, a := range e.Args {
		f.resolve(a).Each(look)
	}
	return found
}
