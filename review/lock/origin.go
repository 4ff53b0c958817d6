package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// A service is a kind of system that a client speaks to.
type service struct {
	what  string
	words map[string]bool // of the module, the class or the name that a client is made from
	verbs map[string]bool // the first word of what makes it do something; nil if all do
}

// services are known by what a client of them was made from, whatever it is called.
var services = []service{
	{"a payment", wordSet("stripe braintree paypal adyen mollie gocardless klarna razorpay squareup plaid paddle"),
		wordSet("create charge capture pay payout refund transfer confirm execute sale submit void cancel debit credit settle update")},
	{"a mail", wordSet("nodemailer sendgrid mailgun postmark mailjet mandrill smtplib smtp gomail ses sesv2 sesclient sesv2client resend phpmailer swiftmailer mailersend sparkpost yagmail aiosmtplib emails mailkit mimemessage jakartamail mailyak mail emailmessage"),
		wordSet("send sendmail deliver dial message post submit create emails batch")},
	{"a message", wordSet("kafka kafkajs sarama confluent amqp amqplib amqp091 pika aio kombu rabbitmq rabbit bunny sns sqs snsclient sqsclient eventbridge eventbridgeclient pubsub nats jetstream mqtt paho pulsar servicebus eventhub twilio vonage nexmo messagebird slack slackweb telegram telebot fcm apns apn webpush expo onesignal pusher ably kinesis firehose stomp zeromq zmq nsq stepfunctions lambdaclient racecar waterdrop php-amqplib enqueue messenger"),
		wordSet("send publish produce post put emit push notify deliver broadcast trigger submit enqueue write basic message messages chat create invoke start async add")},
}

// servedBy is the service that a call makes do something, by what its client was made
// from; nil if there is none.
func (f *Function) servedBy(e *ir.Expr) *service {
	verb := words(e.Method())
	if len(verb) == 0 || e.Receiver() == nil {
		return nil
	}
	var from []string
	for x, n := e.Receiver(), 0; x != nil && n < 6; n++ {
		from = append(from, f.origin(x, 4)...)
		switch x.Kind {
		case ir.Member, ir.Index, ir.Await, ir.Call, ir.New:
			x = x.X
		default:
			x = nil
		}
	}
	for i := range services {
		s := &services[i]
		if !s.verbs[verb[0]] {
			continue
		}
		for _, w := range from {
			if s.words[w] {
				return s
			}
		}
	}
	return nil
}

// origin are the words of what a value was made from: the module and the class of a
// constructor, the name of the service that a factory is asked for. Depth is through how many
// functions it is followed: two may return what the other one makes.
func (f *Function) origin(x *ir.Expr, depth int) (list []string) {
	if depth == 0 {
		return nil
	}
	v := f.made(x)
	switch v.Kind {
	case ir.Call, ir.New:
		if g := f.Unit.callee(v.In, v.Expr); g != nil && g != f {
			for _, x := range g.returned() {
				list = append(list, g.origin(x, depth-1)...)
			}
			return list
		}
		for made := v.Expr; made != nil && (made.Kind == ir.Call || made.Kind == ir.New); made = made.Receiver() {
			list = append(list, words(v.In.qualify(made.X.Path()))...)
			if service, ok := made.Arg(0).Literal(); ok && len(service) < 40 {
				list = append(list, words(service)...)
			}
		}
	case ir.Name, ir.Member:
		list = words(v.In.qualify(v.Path()))
	}
	if t := f.typeOf(x); t != "" {
		list = append(list, words(t)...)
	}
	return list
}

// returned are the values that a small function may return that are made there.
func (g *Function) returned() (list []*ir.Expr) {
	if len(g.Body) > most {
		return nil
	}
	g.eachStmt(func(s *ir.Stmt) {
		last := g.Short && len(g.Body) > 0 && s == g.Body[len(g.Body)-1]
		if (s.Does == ir.Return || last && s.Does == ir.Eval) && s.X != nil && (s.X.Kind == ir.Call || s.X.Kind == ir.New) {
			list = append(list, s.X)
		}
	})
	return list
}

// made follows a value to what made it, also where that has several results.
func (f *Function) made(x *ir.Expr) Value {
	v := f.resolve(x)
	if v.Kind == ir.Name && v.Expr != nil {
		if d, ok := v.In.lookup(v.Name, v.Pos); ok && d.index >= 0 && d.x != nil {
			v = d.in.resolve(d.x)
		}
	}
	return v
}

// commands are the requests of the clients of Amazon that tell somebody something.
var commands = map[string]string{
	"PublishCommand": "a message", "PublishBatchCommand": "a message", "SendMessageCommand": "a message", "SendMessageBatchCommand": "a message",
	"PutEventsCommand": "a message", "InvokeCommand": "a message", "StartExecutionCommand": "a message", "PutRecordCommand": "a message", "PutRecordsCommand": "a message",
	"SendEmailCommand": "a mail", "SendRawEmailCommand": "a mail", "SendTemplatedEmailCommand": "a mail", "SendBulkEmailCommand": "a mail",
}

// commanded is what a client of Amazon is sent, in JavaScript; "" if it tells nobody anything.
func (f *Function) commanded(e *ir.Expr) string {
	if e.Method() != "send" || len(e.Args) == 0 || f.File.Language != ir.JavaScript {
		return ""
	}
	return commands[f.resolve(e.Args[0]).Method()]
}

// enqueues are methods by which a job is handed to whoever works on jobs.
var enqueues = wordSet("perform_later perform_async perform_in apply_async delay send_task dispatchSync deliver_later enqueue_in")

// enqueued reports whether a call hands a job on.
func (f *Function) enqueued(e *ir.Expr) bool {
	name := e.Method()
	switch {
	case !enqueues[name] || e.Receiver() == nil:
		return false
	case name == "delay":
		return f.File.Language == ir.Python && (imports(f.File, "celery") || imports(f.File, "tasks"))
	}
	return true
}

// programsOut are programs that tell somebody something, by their name and the words that
// must follow; "" for any.
var programsOut = []struct{ program, words, what string }{
	{"aws", "sns publish", "a message"}, {"aws", "sqs send-message", "a message"}, {"aws", "events put-events", "a message"},
	{"aws", "lambda invoke", "a message"}, {"aws", "ses send-email", "a mail"}, {"aws", "sesv2 send-email", "a mail"}, {"aws", "ses send-raw-email", "a mail"},
	{"gcloud", "pubsub topics publish", "a message"}, {"kcat", "-P", "a message"}, {"kafkacat", "-P", "a message"}, {"kafka-console-producer", "", "a message"},
	{"kafka-console-producer.sh", "", "a message"}, {"rabbitmqadmin", "publish", "a message"}, {"nats", "pub", "a message"}, {"mosquitto_pub", "", "a message"},
	{"amqp-publish", "", "a message"}, {"redis-cli", "publish", "a message"}, {"redis-cli", "xadd", "a message"}, {"slackcat", "", "a message"},
	{"mail", "", "a mail"}, {"mailx", "", "a mail"}, {"sendmail", "", "a mail"}, {"mutt", "", "a mail"}, {"msmtp", "", "a mail"}, {"swaks", "", "a mail"}, {"s-nail", "", "a mail"},
	{"stripe", "create", "a payment"}, {"stripe", "confirm", "a payment"}, {"stripe", "capture", "a payment"},
	{"http", "POST", postWhat}, {"https", "POST", postWhat}, {"wget", "--post-data", postWhat}, {"wget", "--post-file", postWhat}, {"wget", "--method=POST", postWhat}, {"wget", "--body-data", postWhat},
}

const postWhat = "an HTTP request that changes something"

// programOut is what a program tells somebody, in a shell; "" if it is none that does.
func (f *Function) programOut(e *ir.Expr) string {
	if f.File.Language != ir.Shell || e.X == nil {
		return ""
	}
	first := e.X.Path()
	if !prefixes[first] && !programNames[first[strings.LastIndexByte(first, '/')+1:]] {
		return ""
	}
	args := []string{first}
	for _, a := range e.Args {
		text, _ := f.fold(a)
		args = append(args, text)
	}
	if prefixes[args[0]] { // timeout 60 aws sns publish
		args = args[1:]
	}
	for i, name := range args {
		name = name[strings.LastIndexByte(name, '/')+1:]
		for _, p := range programsOut {
			if p.program == name && (p.words == "" || inOrder(args[i:], strings.Fields(p.words))) {
				return p.what
			}
		}
		if !prefixes[e.X.Path()] {
			break
		}
	}
	return ""
}

var programNames = func() map[string]bool {
	names := map[string]bool{}
	for _, p := range programsOut {
		names[p.program] = true
	}
	return names
}()

var prefixes = wordSet("timeout sudo nice nohup env time ionice chronic retry xargs")

// inOrder reports whether words stand among others, one after the other.
func inOrder(args, want []string) bool {
	for _, a := range args {
		if len(want) > 0 && (strings.EqualFold(a, want[0]) || strings.HasPrefix(want[0], "--") && strings.HasPrefix(a, want[0]+"=")) {
			want = want[1:]
		}
	}
	return len(want) == 0
}
