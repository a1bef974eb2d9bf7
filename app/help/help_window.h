#pragma once

#include <QDialog>
#include <QTextBrowser>

class QLineEdit;
class QListWidget;

namespace jitterscope::app {

/// Shows help pages, with headings as the targets of links and a history.
class HelpBrowser : public QTextBrowser {
  Q_OBJECT

public:
  explicit HelpBrowser(QWidget* parent = nullptr);
  /// Opens "causal" or "statistics#excess"; shows a message if the page does not exist.
  void open(const QString& page);
  QString page() const { return page_; } ///< id of the page shown

protected:
  QVariant loadResource(int type, const QUrl& name) override;
  void doSetSource(const QUrl& url, QTextDocument::ResourceType type) override;

private:
  void go_to(const QString& anchor);

  QString page_;
};

/// All help pages: topics and search at the left, the page at the right. Stays open next to the main
/// window.
class HelpWindow : public QDialog {
  Q_OBJECT

public:
  explicit HelpWindow(QWidget* parent);
  /// Shows the page and section: "causal" or "statistics#excess".
  void show_page(const QString& page);
  HelpBrowser* browser() { return browser_; }
  QLineEdit* search_field() { return search_; }
  QListWidget* list() { return list_; }

private:
  void fill_list();
  void choose_current();

  HelpBrowser* browser_;
  QLineEdit* search_;
  QListWidget* list_;
};

} // namespace jitterscope::app
