from .guard import exclusive
from .models import Report


def publish(report_id, body):
    with exclusive(f"report-{report_id}"):
        report = Report.objects.get(pk=report_id)
        report.body = body
        report.save()  # want 4
